// What lanes read in a statement and others write at its end they have read as long as they go on together: a note. Between the first two statements they do not meet.
// expect: violated race
// small: -
__global__ void __launch_bounds__(32) prefixes(const int* in, int* out) {
  __shared__ int sums[32];
  sums[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  if (threadIdx.x >= 1) sums[threadIdx.x] += sums[threadIdx.x - 1];  // want FP720
  if (threadIdx.x >= 2) sums[threadIdx.x] += sums[threadIdx.x - 2];
  __syncwarp();
  if (threadIdx.x >= 4) sums[threadIdx.x] += sums[threadIdx.x - 4];
  __syncwarp();
  out[threadIdx.x] = sums[31 - threadIdx.x];
}
void run(const int* in, int* out) { prefixes<<<1, 32>>>(in, out); }
