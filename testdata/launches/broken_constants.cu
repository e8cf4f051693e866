// As in constants.cu, without the barrier.
// expect: violated race
// small: -
#include <type_traits>

template <int Threads> __global__ void __launch_bounds__(Threads) mirrored(const float* in, float* out) {
  __shared__ float row[Threads];
  row[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = row[Threads - 1 - threadIdx.x];  // want FP720
}

template <class Launch> void choose(Launch&& launch, int threads) {
  switch (threads) {
    case 64: return launch(std::integral_constant<int, 64>{});
    case 96: return launch(std::integral_constant<int, 96>{});
    default: launch(std::integral_constant<int, 128>{});
  }
}

void run(const float* in, float* out, int threads) {
  choose([&](auto size) { mirrored<size.value><<<1, size()>>>(in, out); }, threads);
  choose([&](auto size) {
    constexpr int Threads = decltype(size)::value;
    mirrored<Threads><<<1, Threads>>>(in, out);
  }, threads);
}
