// A thread looks at a mark by adding nothing to it, and goes along a chain until it comes to one that is marked: that draws no number, and nobody is the last.
// expect: inconclusive
// small: -

__global__ void follow(float* row, int* marked, int n) {
  __shared__ int seen;
  for (int begin = blockIdx.x; begin < n; begin += gridDim.x) {
    int at = begin;
    float a = row[at * 128 + threadIdx.x];
    if (threadIdx.x == 0) seen = atomicAdd(&marked[at], 0);
    __syncthreads();
    for (; seen == 0; at = at * 3 % n) {
      const float b = row[at * 128 + threadIdx.x];
      __syncthreads();
      if (threadIdx.x == 0) seen = atomicExch(&marked[at], 1);
      __syncthreads();
      if (seen == 0) row[at * 128 + threadIdx.x] = a;
      a = b;
    }
    __syncthreads();
  }
}

void run(float* row, int* marked, int n) { follow<<<64, 128>>>(row, marked, n); }
