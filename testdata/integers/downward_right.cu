// A loop that counts down without a sign ends where it goes below zero: three rounds, as on the other side.
// expect: holds
// small: -
__global__ void __launch_bounds__(64) downward() {
  if (threadIdx.x < 32) {
    for (unsigned i = 2; i < 3u; --i) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
    }
  } else {
    for (int i = 2; i >= 0; --i) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
    }
  }
}

void run() { downward<<<1, 64>>>(); }
