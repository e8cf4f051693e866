// The circle in C++ as Python would have it: -1 % 4 is -1 in C++, so that nobody tells the last warp.
// expect: violated deadlock
// small: -
__global__ void __launch_bounds__(128) previous() {
  int warp = threadIdx.x / 32;
  int before = (warp - 1) % 4;
  asm volatile("bar.arrive %0, 64;" ::"r"(1 + before) : "memory");  // want FP411
  asm volatile("bar.sync %0, 64;" ::"r"(1 + warp) : "memory");
}

void run() { previous<<<1, 128>>>(); }
