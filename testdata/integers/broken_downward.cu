// The loop that counts down without a sign, beside one with a sign that goes round once more. What a barrier does that waits
// for threads which never come again is not documented.
// expect: violated deadlock
// small: -
__global__ void __launch_bounds__(64) downward() {
  if (threadIdx.x < 32) {
    for (unsigned i = 2; i < 3u; --i) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
    }
  } else {
    for (int i = 2; i >= -1; --i) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
    }
  }
}

void run() { downward<<<1, 64>>>(); }
