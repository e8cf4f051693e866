// As in instantiated.cu: the second instance has no barrier for its two warps.
// expect: violated race
// small: -

template <typename T, int Parts> __global__ void halves(const T* a, T* b) {
  __shared__ T s[32 * Parts];
  s[threadIdx.x] = a[threadIdx.x];  // want FP720
  if constexpr (Parts > 1 && sizeof(T) == 4) __syncthreads();
  else __syncwarp();
  b[threadIdx.x] = s[32 * Parts - 1 - threadIdx.x];
}

namespace host {
template <typename T, int Parts = 2> void run(const T* a, T* b) {
  constexpr int threads = 32 * Parts;
  halves<T, Parts><<<1, threads>>>(a, b);
}

template void run<float, 1>(const float*, float*);
template void run<double>(const double*, double*);
}  // namespace host
