// A counter hands out pieces of work by way of shared memory; a piece is its CTA's own, and no number of them says that others have done theirs.
// expect: holds open=order,race,race-grid
// small: -

__device__ unsigned take(unsigned* next) {
  __shared__ unsigned mine;
  if (threadIdx.x == 0) mine = atomicAdd(next, 1);
  __syncthreads();
  return mine;
}

__global__ void twice(float* data, size_t n, unsigned* next) {
  unsigned piece = take(next);
  while (piece < (n + blockDim.x - 1) / blockDim.x) {
    const size_t at = piece * blockDim.x + threadIdx.x;
    const float x = at < n ? data[at] : 0;
    __syncthreads();
    if (at < n) data[at] = 2 * x;
    piece = take(next);
  }
}

void launch(float* data, size_t n, unsigned* next) { twice<<<64, 256>>>(data, n, next); }
