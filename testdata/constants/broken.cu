// As right.cu, where the mode of the class and of the namespace is one for which nobody waits.
// expect: violated race
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

// How threads meet: a value of one name each in a class, its base, a class template, a namespace and an enumeration.
struct Base {
  static constexpr int kMode = 1;
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
constexpr int kMode = 1;
enum { kNone = 1, kAll };

template <class C, far::Meet M>
__global__ void __launch_bounds__(THREADS) mirror(const float* in, float* out) {
  __shared__ float tile[THREADS];
  const int tid = threadIdx.x;
  tile[tid] = in[tid];
  if constexpr (C::kMode == 2 && M == far::Meet::Block) __syncthreads();
  float x = tile[THREADS - 1 - tid];  // want FP720
  if (kMode == kAll && Config::kWhole && far::kMode == kNone && Choice<1>::kMode == 2) __syncthreads();
  tile[tid] = x;  // want FP720
  __syncthreads();
  out[tid] = tile[THREADS - 1 - tid];
}
}  // namespace near

void launch(const float* in, float* out) { near::mirror<Config, far::Meet::Block><<<1, THREADS>>>(in, out); }
