// Classes of the standard library that device code has by libcu++ (cuda::std).

namespace cuda {
namespace std {

// C++20 [views.span], of a dynamic extent.
template <typename T, size_t N = 18446744073709551615ull>
class span {
  T* first_;
  size_t size_;

 public:
  __device__ span() : first_(nullptr), size_(0) {}
  __device__ span(T* first, size_t size) : first_(first), size_(size) {}
  __device__ size_t size() const { return size_; }
  __device__ bool empty() const { return size_ == 0; }
  __device__ T* data() const { return first_; }
  __device__ T* begin() const { return first_; }
  __device__ T* end() const { return first_ + size_; }
  __device__ T& operator[](size_t i) const { return first_[i]; }
  __device__ T& front() const { return first_[0]; }
  __device__ T& back() const { return first_[size_ - 1]; }
  __device__ span<T> subspan(size_t offset, size_t count) const { return span<T>(first_ + offset, count); }
  __device__ span<T> first(size_t count) const { return span<T>(first_, count); }
  __device__ span<T> last(size_t count) const { return span<T>(first_ + (size_ - count), count); }
};

}  // namespace std
}  // namespace cuda
