// CTAs draw numbers from a counter; who draws the number of the last one reads what all have written, and nobody has fenced it.
// expect: violated order
// small: -

__global__ void sums(const float* in, float* part, int* next, float* out) {
  __shared__ int drawn;
  if (threadIdx.x == 0) part[blockIdx.x] = in[blockIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) drawn = atomicAdd(next, 1);  // want FP304
  __syncthreads();
  const int other = gridDim.x - 1;
  if (drawn == other) {
    if (threadIdx.x < gridDim.x) out[threadIdx.x] = part[threadIdx.x];
  }
}

void run(const float* in, float* part, int* next, float* out) { sums<<<64, 128>>>(in, part, next, out); }
