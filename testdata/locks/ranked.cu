// Two locks, which all CTAs take in one order.
// expect: holds
// small: -

__device__ int left, right;

__global__ void both(int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&left, 0, 1) != 0) {
  }
  while (atomicCAS(&right, 0, 1) != 0) {
  }
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicExch(&right, 0);
  atomicExch(&left, 0);
}

void launch(int* sum) { both<<<4, 32>>>(sum); }
