// Warps numbered from the last one down, in a type without a sign: none is negative, and the ones left over are large.
// expect: violated deadlock
// small: -
#include <cstdint>

__global__ void __launch_bounds__(128) narrow() {
  uint8_t rest = static_cast<uint8_t>(threadIdx.x / 32) - 2;
  if (rest < 0 || threadIdx.x < 32) {
    asm volatile("bar.sync 1, 64;" ::: "memory");  // want FP120
  }
}

void run() { narrow<<<1, 128>>>(); }
