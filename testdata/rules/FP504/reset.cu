struct State {
  int arrived;
  int left;
};

__device__ int look(const int* flag) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__device__ void arrive(int* flag) {
  asm volatile("red.release.gpu.global.add.s32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
}

__device__ void clear(int* flag) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(0) : "memory");
}

__device__ void meet(State* state, int all) {
  if (threadIdx.x == 0) {
    arrive(&state->arrived);
    while (look(&state->arrived) < all) {
    }
  }
  __syncthreads();
}

__global__ void leader_resets(State* states, float* out, int group) {
  State* state = &states[blockIdx.x / group];
  const int rank = blockIdx.x % group;
  meet(state, group);
  out[blockIdx.x] = 1.0f;
  if (rank == 0 && threadIdx.x == 0) {
    clear(&state->arrived);  // want FP504 "while others may still poll it"
  }
}

__global__ void last_resets(State* states, float* out, int group) {
  State* state = &states[blockIdx.x / group];
  meet(state, group);
  out[blockIdx.x] = 1.0f;
  if (threadIdx.x == 0) {
    const int left = atomicAdd(&state->left, 1);
    if (left == group - 1) {
      clear(&state->left);
      clear(&state->arrived);
    }
  }
}

__global__ void cleared_at_the_start(State* state, float* out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    clear(&state->arrived);  // want FP504 "may have added to it already"
  }
  __syncthreads();
  meet(state, gridDim.x);
  out[blockIdx.x] = 1.0f;
}

// All have left the first counter when the second is full.
__global__ void after_another_barrier(int* first, int* second) {
  if (threadIdx.x == 0) {
    arrive(first);
    while (look(first) < gridDim.x) {
    }
    arrive(second);
    while (look(second) < gridDim.x) {
    }
    if (blockIdx.x == 0) {
      clear(first);
    }
  }
}

// One CTA waits for the others and clears what only it polls.
__global__ void one_polls(int* arrived) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) {
      while (look(arrived) < gridDim.x - 1) {
      }
      clear(arrived);
    } else {
      arrive(arrived);
    }
  }
}
