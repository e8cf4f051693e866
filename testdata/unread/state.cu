// The classes of what is in shared memory are those of a header that is not there: the text names members of them.
// expect: inconclusive
// small: -
#include "absent/state.h"

__device__ void begin(Progress* p, int n) {
  if (threadIdx.x == 0) {
    p->left = n;
    p->page.first = 0;
  }
}

// All threads look at a member that one sets, behind a barrier.
__global__ void drain(int* out, int n) {
  __shared__ Progress shared_progress;
  Progress* const p = &shared_progress;
  begin(p, n);
  __syncthreads();
  for (int i = threadIdx.x; i < p->left; i += blockDim.x) out[i] = i;
}
