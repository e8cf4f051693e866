// Sums from the left, CTA by CTA: the first thread waits for what the CTA before it has come to, and all go on when it has put that down.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(64) sums_from_left(const int* in, int* out, volatile int* sums, volatile int* known, int n) {
  __shared__ int row[64];
  __shared__ int before;
  const int at = blockIdx.x * 64 + threadIdx.x;
  row[threadIdx.x] = at < n ? in[at] : 0;
  __syncthreads();
  for (int by = 1; by < 64; by *= 2) {
    const int left = threadIdx.x >= by ? row[threadIdx.x - by] : 0;
    __syncthreads();
    row[threadIdx.x] += left;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    int sum = 0;
    if (blockIdx.x > 0) {
      while (known[blockIdx.x - 1] == 0) {
      }
      __threadfence();
      sum = sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = sum + row[63];
    __threadfence();
    known[blockIdx.x] = 1;
    before = sum;
  }
  __syncthreads();
  if (at < n) out[at] = before + row[threadIdx.x];
}

void run(const int* in, int* out, int* sums, int* known, int n) { sums_from_left<<<(n + 63) / 64, 64>>>(in, out, sums, known, n); }
