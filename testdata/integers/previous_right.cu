// Four warps in a circle: each tells the one before it, and waits for the one behind it. What is before the first is found
// without a negative number.
// expect: holds
// small: -
__global__ void __launch_bounds__(128) previous() {
  int warp = threadIdx.x / 32;
  int before = (warp + 3) % 4;
  asm volatile("bar.arrive %0, 64;" ::"r"(1 + before) : "memory");
  asm volatile("bar.sync %0, 64;" ::"r"(1 + warp) : "memory");
}

void run() { previous<<<1, 128>>>(); }
