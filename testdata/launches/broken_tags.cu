// As tags.cu, where a row is written again while others read it.
// expect: violated race
// small: -
#include <type_traits>
template <int N> using number = std::integral_constant<int, N>;
template <bool Again, int N> __global__ void __launch_bounds__(N) turned(const float* in, float* out) {
  __shared__ float row[N];
  row[threadIdx.x] = in[blockIdx.x * N + threadIdx.x];
  __syncthreads();
  float x = row[N - 1 - threadIdx.x];
  if constexpr (Again) {
    row[threadIdx.x] = x * x;
    __syncthreads();
    x += row[threadIdx.x ^ 32];
  }
  out[blockIdx.x * N + threadIdx.x] = x;
}

void run(const float* in, float* out, int rows, bool again) {
  auto start = [&](auto width, auto twice) {
    constexpr int n = decltype(width)::value;
    constexpr bool more = decltype(twice)::value;
    dim3 threads(n, 1);
    turned<more, n><<<rows, threads>>>(in, out);
  };
  if (again) start(number<128>{}, std::true_type{});
  else start(number<256>{}, std::bool_constant<false>{});
}
