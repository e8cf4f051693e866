// Warps are numbered from the last one down, in a type that holds the number.
// expect: holds
// small: -
#include <cstdint>

__global__ void __launch_bounds__(128) narrow() {
  int8_t rest = static_cast<int8_t>(threadIdx.x / 32) - 2;
  if (rest < 0) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
}

void run() { narrow<<<1, 128>>>(); }
