// The lock is the grid's, and the fences are the CTA's.
// expect: holds
// litmus: violated
// small: -

__global__ void tally(int* taken, int* sum) {
  bool mine = false;
  while (!mine) {
    if (atomicCAS(taken, 0, 1) == 0) {
      __threadfence_block();
      *sum += threadIdx.x + 1;
      __threadfence_block();
      atomicExch(taken, 0);
      mine = true;
    }
  }
}

void launch(int* taken, int* sum) { tally<<<3, 96>>>(taken, sum); }
