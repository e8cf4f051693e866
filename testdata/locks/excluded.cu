// Each thread tries until it gets a lock, adds to its sum and gives the lock back, in one round of its loop: no lanes wait for each other.
// expect: holds
// small: -

__global__ void tally(int* taken, int* sums) {
  const int slot = threadIdx.x % 8;
  bool mine = false;
  while (!mine) {
    if (atomicExch(&taken[slot], 1) == 0) {
      __threadfence();
      sums[slot] += threadIdx.x + 1;
      __threadfence();
      atomicExch(&taken[slot], 0);
      mine = true;
    }
  }
}

void launch(int* taken, int* sums) { tally<<<3, 96>>>(taken, sums); }
