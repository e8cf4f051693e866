// A counter stands behind an array in one object: the thread that counts its CTA does so when all of it have added theirs.
// expect: holds open=order,race,race-grid
// small: -

struct Work {
  unsigned sums[256];
  unsigned done;
};

__global__ void collect(const unsigned* in, Work* work, unsigned* out) {
  __shared__ unsigned ticket;
  if (threadIdx.x < 256) atomicAdd(&work->sums[threadIdx.x], in[blockIdx.x * 256 + threadIdx.x]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    ticket = atomicAdd(&work->done, 1);
    __threadfence();
  }
  __syncthreads();
  if (ticket != gridDim.x - 1) return;
  if (threadIdx.x < 256) out[threadIdx.x] = work->sums[255 - threadIdx.x];
}

void launch(const unsigned* in, Work* work, unsigned* out) { collect<<<64, 512>>>(in, work, out); }
