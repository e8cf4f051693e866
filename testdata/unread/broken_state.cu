// The classes of what is in shared memory are those of a header that is not there: the text names members of them.
// expect: violated race
// small: -
#include "absent/state.h"

__device__ void begin(Progress* p, int n) {
  if (threadIdx.x == 0) {
    p->left = n; // want FP720
    p->page.first = 0;
  }
}

// A thread looks at a member that another one sets.
__global__ void drain(int* out, int n) {
  __shared__ Progress shared_progress;
  Progress* const p = &shared_progress;
  begin(p, n);
  for (int i = threadIdx.x; i < p->left; i += blockDim.x) out[i] = i;
}
