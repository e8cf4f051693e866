// Which function computes is chosen by one that returns it, with what its template is given there; one of them exchanges values between lanes.
// expect: holds
// small: -

typedef float (*Dot)(const float* a, const float* b);

template <typename T, int N>
__device__ __forceinline__ float alone(const T* a, const T* b) {
  float sum = 0;
  for (int i = 0; i < N; i++) sum += a[i] * b[i];
  return sum;
}

template <typename T, int N>
__device__ __forceinline__ float together(const T* a, const T* b) {
  float sum = a[0] * b[0];
  for (int o = N / 2; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffff, sum, o);
  return sum;
}

template <int KIND, typename T, int N>
constexpr __device__ Dot dotOf() {
  if constexpr (KIND == 0) {
    return alone<T, N>;
  } else {
    return together<T, N>;
  }
}

template <int KIND>
__global__ void __launch_bounds__(128) dots(const float* in, float* out) {
  constexpr Dot dot = dotOf<KIND, float, 32>();
  __shared__ float s[128];
  s[threadIdx.x] = dot(in + threadIdx.x, in);
  __syncthreads();
  out[threadIdx.x] = s[127 - threadIdx.x];
}

void run(const float* in, float* out) {
  dots<0><<<1, 128>>>(in, out);
  dots<1><<<1, 128>>>(in, out);
}
