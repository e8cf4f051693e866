// What device code has of the standard library, by libcu++ (cuda::std) or as std.

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

// C++17 [meta.help].
template <typename T, T v> struct integral_constant {
  using value_type = T;
  static constexpr T value = v;
  __device__ constexpr operator T() const { return v; }
  __device__ constexpr T operator()() const { return v; }
};
template <bool B> using bool_constant = cuda::std::integral_constant<bool, B>;
using true_type = cuda::std::integral_constant<bool, true>;
using false_type = cuda::std::integral_constant<bool, false>;

template <typename T> struct optional {
  T payload;
  bool engaged;
  __device__ bool has_value() const { return engaged; }
  __device__ T& value() { return payload; }
  __device__ T& operator*() { return payload; }
  __device__ T value_or(T otherwise) const { return engaged ? payload : otherwise; }
};

template <typename T, int N> struct array {
  T elements[N];
  __device__ T& operator[](int i) { return elements[i]; }
  __device__ T& at(int i) { return elements[i]; }
  __device__ T* data() { return elements; }
  __device__ int size() const { return N; }
  __device__ void fill(const T& x) {
    for (int i = 0; i < N; i++) elements[i] = x;
  }
};

// C++17 [utility.swap], [utility.exchange], [alg.clamp].
template <typename T>
__device__ void swap(T& a, T& b) {
  T was = a;
  a = b;
  b = was;
}
template <typename T, typename U = T>
__device__ T exchange(T& x, U now) {
  T was = x;
  x = now;
  return was;
}
template <typename T> __device__ T clamp(T x, T low, T high) { return x < low ? low : high < x ? high : x; }

}  // namespace std
}  // namespace cuda

namespace thrust {

// thrust/complex.h: two numbers side by side.
template <typename T> struct complex {
  T re, im;
  __device__ complex() {}
  __device__ complex(T r) : re(r), im(0) {}
  __device__ complex(T r, T i) : re(r), im(i) {}
  __device__ T real() const { return re; }
  __device__ T imag() const { return im; }
  __device__ complex& operator+=(const complex& o) {
    re += o.re;
    im += o.im;
    return *this;
  }
  __device__ complex& operator-=(const complex& o) {
    re -= o.re;
    im -= o.im;
    return *this;
  }
  __device__ complex& operator*=(const complex& o) {
    T r = re * o.re - im * o.im;
    im = re * o.im + im * o.re;
    re = r;
    return *this;
  }
};
template <typename T> __device__ complex<T> operator+(const complex<T>& a, const complex<T>& b) { return complex<T>(a.re + b.re, a.im + b.im); }
template <typename T> __device__ complex<T> operator-(const complex<T>& a, const complex<T>& b) { return complex<T>(a.re - b.re, a.im - b.im); }
template <typename T> __device__ complex<T> operator*(const complex<T>& a, const complex<T>& b) { return complex<T>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }
template <typename T> __device__ complex<T> conj(const complex<T>& z) { return complex<T>(z.re, -z.im); }

template <typename T>
__device__ void swap(T& a, T& b) {
  T was = a;
  a = b;
  b = was;
}

}  // namespace thrust
