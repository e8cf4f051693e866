// As template.cu, but no constant of four bytes is among those that a barrier is there for.
// expect: violated race
// small: -
#include <cuda_runtime.h>

namespace shape {

template <typename T, typename... Us>
constexpr bool sized_as_any = ((sizeof(T) == sizeof(Us)) || ...);

template <typename T>
constexpr int elements = 16 / sizeof(T);

template <>
constexpr int elements<double> = 1;

template <int... Steps>
constexpr int total = (... + Steps);

} // namespace shape

template <typename... Ts>
__device__ float sum(Ts... terms) { return (terms + ...); }

template <typename T>
__global__ void reverse(T* out, const T* in) {
    constexpr int threads = shape::total<16, 32, 16>;
    constexpr int each = shape::elements<T>;
    __shared__ T tile[threads * each];
    for (int i = 0; i < each; i++) tile[threadIdx.x * each + i] = in[threadIdx.x * each + i];
    if constexpr (shape::sized_as_any<T, char, double>) __syncthreads();
    for (int i = 0; i < each; i++) out[threadIdx.x * each + i] = sum(tile[threads * each - 1 - threadIdx.x * each - i], T(1), T(2));
}

void run(float* f, double* d) {
    reverse<float><<<1, 64>>>(f, f + 256);
    reverse<double><<<1, 64>>>(d, d + 64);
}
