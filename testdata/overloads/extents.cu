// expect: holds open=race-grid
// small: -
// References to arrays take those of their type alone, and of two templates the one for pointers is taken with pointers.
template <int N> __device__ void reset(int (&list)[N]) {
  for (int i = 0; i < N; i++) list[i] = 0;
}
template <int N> __device__ void reset(float (&list)[N]) {
  for (int i = 0; i < N; i++) list[i] = 0.f;
}
template <typename T> __device__ T behind(const T at) { return at + 1; }
template <typename T> __device__ T* behind(T* const at) { return at + 32; }

__global__ void __launch_bounds__(64) halves(const float* in, float* out) {
  __shared__ float s[96];
  int steps[2];
  float sums[2];
  reset(steps);
  reset(sums);
  behind(s)[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  for (int i = steps[1]; i < 2; i = behind(i)) sums[i] = s[32 + (threadIdx.x + 32 * i) % 64];
  out[blockIdx.x * 64 + threadIdx.x] = sums[0] + sums[1];
}
