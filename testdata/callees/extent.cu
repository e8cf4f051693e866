// How many elements an array has that is handed by reference is an argument of the callee's template.
// expect: holds
// small: -
template <typename T, int N>
__device__ T turned(T (&mine)[N], T* tile, int at) {
  T sum = 0;
  for (int k = 0; k < N; ++k) {
    tile[at] = mine[k];
    __syncthreads();
    sum += tile[63 - at];
    if constexpr (N > 1) __syncthreads();
  }
  return sum;
}

__global__ void mirror(const float* in, float* out) {
  __shared__ float tile[64];
  float mine[2] = {in[threadIdx.x], in[threadIdx.x + 64]};
  out[threadIdx.x] = turned(mine, tile, threadIdx.x);
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
