// What the lock of a slot is for is the slot of another lock in one thread of each CTA.
// expect: violated race
// small: -

__global__ void tally(int* taken, int* sums) {
  const int slot = threadIdx.x % 8;
  const int into = threadIdx.x == 50 ? (slot + 1) % 8 : slot;
  bool mine = false;
  while (!mine) {
    if (atomicExch(&taken[slot], 1) == 0) {
      __threadfence();
      sums[into] += threadIdx.x + 1;  // want FP720
      __threadfence();
      atomicExch(&taken[slot], 0);
      mine = true;
    }
  }
}

void launch(int* taken, int* sums) { tally<<<3, 96>>>(taken, sums); }
