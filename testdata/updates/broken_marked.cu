// Bits are set in an element that data choose, without an atomic operation: two threads may come to one. That they do is up to the data: a warning.
// expect: violated race
// small: -

__global__ void count(const unsigned* keys, unsigned* out, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    unsigned key = keys[i] * 2654435761u;
    bins[(key >> 5) & 255] |= 1u << (key & 31);
  }
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

void launch(const unsigned* keys, unsigned* out, int n) { count<<<64, 256>>>(keys, out, n); }
