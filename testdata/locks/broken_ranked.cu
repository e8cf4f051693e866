// Two locks, which CTAs take in different orders.
// expect: violated deadlock
// small: -

__device__ int left, right;

__global__ void both(int* sum) {
  if (threadIdx.x != 0) return;
  int* first = blockIdx.x % 2 == 0 ? &left : &right;
  int* second = blockIdx.x % 2 == 0 ? &right : &left;
  while (atomicCAS(first, 0, 1) != 0) {
  }
  while (atomicCAS(second, 0, 1) != 0) {  // want FP120
  }
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicExch(second, 0);
  atomicExch(first, 0);
}

void launch(int* sum) { both<<<4, 32>>>(sum); }
