// Models of ATen's accessors (ATen/core/TensorAccessor.h): elements of a tensor by as many indices as it has dimensions. What the strides are the host
// knows; elements with other indices are other ones unless the tensor was expanded (torch.Tensor.expand), so rows lie far apart here. fencepost_granted
// says what is taken for granted.

namespace at {

template <typename T> struct DefaultPtrTraits {};
template <typename T> struct RestrictPtrTraits {};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = long long> class TensorAccessor {
 public:
  T* data_;
  index_t sizes_[N];
  index_t strides_[N];
  __device__ T* data() const { return data_; }
  __device__ index_t size(index_t i) const { return sizes_[i]; }
  __device__ index_t stride(index_t i) const { return strides_[i]; }
  __device__ TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const {
    fencepost_granted("elements of a tensor with other indices are other ones");
    TensorAccessor<T, N - 1, PtrTraits, index_t> rest;
    rest.data_ = data_ + (long long)i * (1ll << (N == 2 ? 20 : N == 3 ? 34 : N == 4 ? 44 : N == 5 ? 52 : 58));
    if constexpr (N > 1) {
      rest.sizes_[0] = sizes_[1];
      rest.strides_[0] = strides_[1];
    }
    if constexpr (N > 2) {
      rest.sizes_[1] = sizes_[2];
      rest.strides_[1] = strides_[2];
    }
    if constexpr (N > 3) {
      rest.sizes_[2] = sizes_[3];
      rest.strides_[2] = strides_[3];
    }
    if constexpr (N > 4) {
      rest.sizes_[3] = sizes_[4];
      rest.strides_[3] = strides_[4];
    }
    return rest;
  }
};

template <typename T, template <typename U> class PtrTraits, typename index_t> class TensorAccessor<T, 1, PtrTraits, index_t> {
 public:
  T* data_;
  index_t sizes_[1];
  index_t strides_[1];
  __device__ T* data() const { return data_; }
  __device__ index_t size(index_t i) const { return sizes_[0]; }
  __device__ index_t stride(index_t i) const { return strides_[0]; }
  __device__ T& operator[](index_t i) const { return data_[i]; }
};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = long long> using TensorAccessorBase = TensorAccessor<T, N, PtrTraits, index_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = long long> using GenericPackedTensorAccessorBase = TensorAccessor<T, N, PtrTraits, index_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = long long> using GenericPackedTensorAccessor = TensorAccessor<T, N, PtrTraits, index_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = long long> using PackedTensorAccessor = TensorAccessor<T, N, PtrTraits, index_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits> using PackedTensorAccessor32 = TensorAccessor<T, N, PtrTraits, int>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits> using PackedTensorAccessor64 = TensorAccessor<T, N, PtrTraits, long long>;

}  // namespace at

namespace torch {

template <typename T, size_t N, template <typename U> class PtrTraits = at::DefaultPtrTraits, typename index_t = long long> using TensorAccessor = at::TensorAccessor<T, N, PtrTraits, index_t>;
template <typename T> struct DefaultPtrTraits {};
template <typename T> struct RestrictPtrTraits {};

template <typename T, size_t N, template <typename U> class PtrTraits = at::DefaultPtrTraits, typename index_t = long long> using GenericPackedTensorAccessor = at::TensorAccessor<T, N, PtrTraits, index_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = at::DefaultPtrTraits, typename index_t = long long> using PackedTensorAccessor = at::TensorAccessor<T, N, PtrTraits, index_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = at::DefaultPtrTraits> using PackedTensorAccessor32 = at::TensorAccessor<T, N, PtrTraits, int>;
template <typename T, size_t N, template <typename U> class PtrTraits = at::DefaultPtrTraits> using PackedTensorAccessor64 = at::TensorAccessor<T, N, PtrTraits, long long>;

}  // namespace torch
