// Thread 0 alone reads the word that it has written: the right side of && is for those who pass the left one.
// expect: holds open=race,race-grid
// small: -
__global__ void __launch_bounds__(128) tell(int* total, int n) {
  __shared__ int fresh;
  if (threadIdx.x == 0) fresh = n;
  if (threadIdx.x == 0 && fresh > 0) atomicAdd(total, threadIdx.x == 0 ? fresh : n);
}
