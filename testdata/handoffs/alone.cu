// The grid has one CTA: who else may write what it waits for is on another device, and no count with the scope of this one is for that.
// expect: inconclusive
// small: -

__global__ void meet(int* marks, int* count, int* out, int n) {
  marks[threadIdx.x] = n;
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (*(volatile int*)(count + n) < n) {
    }
  }
  __syncthreads();
  out[threadIdx.x] = marks[127 - threadIdx.x];
}

void run(int* marks, int* count, int* out, int n) { meet<<<1, 128>>>(marks, count, out, n); }
