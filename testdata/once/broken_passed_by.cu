// As passed_by.cu, and those who pass the left side of && are more than the one who writes.
// expect: violated race
// small: -
#define FRESH fresh
__global__ void __launch_bounds__(128) tell(int* total, int n) {
  __shared__ int fresh;
  if (threadIdx.x == 0) fresh = n;  // want FP720
  if (threadIdx.x < 64 && FRESH > 0) atomicAdd(total, 1);
}
