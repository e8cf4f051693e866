// A loop goes up to a number that another CTA has written before all met: it waits for nobody, and takes nothing by it.
// expect: inconclusive
// small: -

__device__ volatile int arrived;
__device__ volatile int length;

__device__ void meet(int all) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd((int*)&arrived, 1);
    while (arrived < all) {}
    __threadfence();
  }
  __syncthreads();
}

__global__ void copy(const float* in, float* row, float* out, const int* n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  row[i] = in[i] + 1;
  if (i == 0) length = *n;
  meet(gridDim.x);
  for (int k = i; k < length; k += gridDim.x * blockDim.x) out[k] = row[k ^ 1];
}
