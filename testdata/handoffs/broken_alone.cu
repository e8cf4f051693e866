// The grid has two CTAs: each waits for what the other one counts, and nobody has fenced what is read behind it.
// expect: violated order
// small: -

__global__ void meet(int* marks, int* count, int* out, int n) {
  marks[blockIdx.x * 128 + threadIdx.x] = n;
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);  // want FP304
    while (*(volatile int*)(count + n) < n) {  // want FP303
    }
  }
  __syncthreads();
  out[threadIdx.x] = marks[255 - threadIdx.x];
}

void run(int* marks, int* count, int* out, int n) { meet<<<2, 128>>>(marks, count, out, n); }
