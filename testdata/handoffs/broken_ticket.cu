// No fence stands before the ticket is drawn.
// expect: violated order
__device__ unsigned drawn;

__global__ void total_of(const float* in, float* sums, float* out) {
  __shared__ bool last;
  __shared__ float mine[64];
  mine[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int k = 0; k < 64; ++k) sum += mine[k];
    sums[blockIdx.x] = sum;
    unsigned ticket = atomicAdd(&drawn, 1);  // want FP304
    last = ticket + 1 == gridDim.x;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  if (threadIdx.x == 0) {
    float all = 0.0f;
    for (int k = 0; k < gridDim.x; ++k) all += sums[k];
    *out = all;
  }
}

void run(const float* in, float* sums, float* out) { total_of<<<64, 64>>>(in, sums, out); }
