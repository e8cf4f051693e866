// What decides about the barriers are constants of a class, its base, a class template, a namespace and enumerations.
// expect: holds
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

// How threads meet: a value of one name each in a class, its base, a class template, a namespace and an enumeration.
struct Base {
  static constexpr int kMode = 2;
};
struct Config : Base {
  static constexpr bool kWhole = kMode == 2;
};
template <int Mode> struct Choice {
  static constexpr int kTwice = Mode * 2;
  static constexpr int kMode = kTwice / 2;
};
namespace far {
constexpr int kMode = 1;
enum class Meet : unsigned char { Warp, Block };
}  // namespace far
namespace near {
constexpr int kMode = 2;
enum { kNone = 1, kAll };

template <class C, far::Meet M>
__global__ void __launch_bounds__(THREADS) mirror(const float* in, float* out) {
  __shared__ float tile[THREADS];
  const int tid = threadIdx.x;
  tile[tid] = in[tid];
  if constexpr (C::kMode == 2 && M == far::Meet::Block) __syncthreads();
  float x = tile[THREADS - 1 - tid];
  if (kMode == kAll && Config::kWhole && far::kMode == kNone && Choice<2>::kMode == 2) __syncthreads();
  tile[tid] = x;
  __syncthreads();
  out[tid] = tile[THREADS - 1 - tid];
}
}  // namespace near

void launch(const float* in, float* out) { near::mirror<Config, far::Meet::Block><<<1, THREADS>>>(in, out); }
