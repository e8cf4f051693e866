// Data choose the element that is counted in, and two threads may come to one: the addition is atomic.
// expect: holds open=race,race-grid
// small: -

__global__ void count(const unsigned* keys, unsigned* out, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    unsigned key = keys[i] * 2654435761u;
    atomicAdd(&bins[key >> 24], 1);
  }
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

void launch(const unsigned* keys, unsigned* out, int n) { count<<<64, 256>>>(keys, out, n); }
