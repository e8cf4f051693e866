// As grouped.cu, without the barrier: where there is more than one round, what one writes the next one reads, whatever the number is.
// expect: violated race
// small: -
extern __shared__ float sum[];
__global__ void grouped(const float* in, float* out, unsigned window) {
  sum[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  unsigned offset = window >> 1;
  while (offset > 0) {
    if ((threadIdx.x & 31) < offset) sum[threadIdx.x] += sum[threadIdx.x + offset];
    offset >>= 1;
  }
  if ((threadIdx.x & 31) == 0) out[threadIdx.x] = sum[threadIdx.x];
}
