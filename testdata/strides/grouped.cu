// Groups of 32 threads reduce what is theirs, by as much as the host says: 32. With more, threads read what those of other groups write, and in every round; with 32 or less they do not.
// expect: inconclusive
// reason: races under numbers of which addresses are made
// small: -
extern __shared__ float sum[];
__global__ void grouped(const float* in, float* out, unsigned window) {
  sum[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  unsigned offset = window >> 1;
  while (offset > 0) {
    if ((threadIdx.x & 31) < offset) sum[threadIdx.x] += sum[threadIdx.x + offset];
    offset >>= 1;
    __syncthreads();
  }
  if ((threadIdx.x & 31) == 0) out[threadIdx.x] = sum[threadIdx.x];
}
