__device__ int look(const int* flag) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__device__ void arrive(int* flag) {
  asm volatile("red.release.gpu.global.add.s32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
}

__global__ void in_a_loop(int* arrived, int rounds) {
  int target = 0;
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) {
      target += gridDim.x;
      arrive(arrived);
      while (look(arrived) != target) {  // want FP503 "the very value of .arrived."
      }
    }
    __syncthreads();
  }
}

__global__ void twice(int* arrived) {
  if (threadIdx.x == 0) {
    arrive(arrived);
    for (;;) {
      if (look(arrived) == gridDim.x) break;  // want FP503 "the very value of .arrived."
    }
    arrive(arrived);
    while (look(arrived) < 2 * gridDim.x) {
    }
  }
}

__global__ void at_least(int* arrived, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    if (threadIdx.x == 0) {
      arrive(arrived);
      while (look(arrived) < round * gridDim.x) {
      }
    }
    __syncthreads();
  }
}

// Nobody adds after the wait.
__global__ void once(int* arrived) {
  if (threadIdx.x == 0) {
    arrive(arrived);
    while (look(arrived) != gridDim.x) {
    }
  }
}

// The others wait for the one that waits, before they add again.
__global__ void with_leader(int* arrived, int* go, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    if (threadIdx.x == 0) {
      if (blockIdx.x == 0) {
        while (look(arrived) != round * (gridDim.x - 1)) {
        }
        arrive(go);
      } else {
        arrive(arrived);
        while (look(go) < round) {
        }
      }
    }
    __syncthreads();
  }
}

// Two counters in turn: nobody comes back to the first before all have left it.
__global__ void in_turn(int* a, int* b, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    if (threadIdx.x == 0) {
      arrive(a);
      while (look(a) != round * gridDim.x) {
      }
      arrive(b);
      while (look(b) != round * gridDim.x) {
      }
    }
    __syncthreads();
  }
}
