// How many threads there are, and whether the row is read twice, stands in the types of what a function without a name is given.
// expect: holds open=race-grid
// small: -
#include <type_traits>
template <int N> using number = std::integral_constant<int, N>;
template <bool Again, int N> __global__ void __launch_bounds__(N) turned(const float* in, float* out) {
  __shared__ float row[N];
  row[threadIdx.x] = in[blockIdx.x * N + threadIdx.x];
  __syncthreads();
  float x = row[N - 1 - threadIdx.x];
  if constexpr (Again) {
    __syncthreads();
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
