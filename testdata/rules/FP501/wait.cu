__device__ int look(const int* flag) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__device__ void put(int* flag, int value) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

__global__ void from_first(int* ready) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) {
      put(ready, 1);
    } else {
      while (look(ready) == 0) {  // want FP501 "CTA 0 is scheduled: it needs LOBE"
      }
    }
  }
}

__global__ void from_last(int* ready) {
  if (threadIdx.x == 0) {
    if (blockIdx.x != 7) {
      while (look(ready) == 0) {  // want FP501 "CTA 7 is scheduled: it needs fairness"
      }
    } else {
      put(ready, 1);
    }
  }
}

__global__ void chain(int* done) {
  const int before = blockIdx.x - 1;
  if (threadIdx.x == 0) {
    if (before >= 0) {
      while (look(&done[before]) == 0) {  // want FP501 "lower CTAs are scheduled: it needs LOBE"
      }
    }
    put(done + blockIdx.x, 1);
  }
}

__global__ void chain_up(int* done) {
  if (threadIdx.x == 0) {
    if (blockIdx.x + 1 < gridDim.x) {
      while (look(done + blockIdx.x + 1) == 0) {  // want FP501 "higher CTAs are scheduled: it needs fairness"
      }
    }
    put(done + blockIdx.x, 1);
  }
}

__global__ void meet(int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    const int all = gridDim.x;
    while (look(arrived) < all) {  // want FP501 "all CTAs run at a time"
    }
  }
  __syncthreads();
}

// The number comes from a counter, by way of shared memory: whoever has a lower one has started.
__global__ void by_ticket(int* next, int* done) {
  __shared__ int turn[1];
  if (threadIdx.x == 0) {
    turn[0] = atomicAdd(next, 1);
  }
  __syncthreads();
  const int mine = turn[0];
  if (threadIdx.x == 0) {
    if (mine > 0) {
      while (look(done + mine - 1) == 0) {
      }
    }
    put(done + mine, 1);
  }
}

// A higher number may not have been taken yet.
__global__ void by_next_ticket(int* next, int* done) {
  if (threadIdx.x == 0) {
    const int mine = atomicAdd(next, 1);
    put(done + mine, 1);
    while (look(done + mine + 1) == 0) {  // want FP501 "this wait ends only if"
    }
  }
}

// Who holds a lock has started.
__global__ void locked(int* word, int* sum) {
  if (threadIdx.x == 0) {
    while (atomicCAS(word, 0, 1) != 0) {
    }
    __threadfence();
    sum[0] += 1;
    __threadfence();
    atomicExch(word, 0);
  }
}

// Another kernel, or the host, sets it.
__global__ void from_elsewhere(int* ready) {
  while (look(ready) == 0) {
  }
}

// One CTA alone waits for itself.
__global__ void one_cta(int* ready) {
  if (threadIdx.x == 0) {
    put(ready, 1);
  }
  while (look(ready) == 0) {
  }
}

// Nobody says here how it is launched.
__global__ void launched_elsewhere(int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (look(arrived) < gridDim.x) {
    }
  }
}

__global__ void __cluster_dims__(2, 1, 1) in_cluster(int* ready) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) {
      put(ready, 1);
    } else {
      while (look(ready) == 0) {
      }
    }
  }
}

// The runtime is given the kernel by way of a local.
__global__ void launched_by_call(int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (look(arrived) < gridDim.x) {  // want FP501 "all CTAs run at a time"
    }
  }
}

void launch_by_call(int* arrived, int blocks) {
  auto kernel = launched_by_call;
  void* args[] = {&arrived};
  cudaLaunchKernel((void*)kernel, dim3(blocks), dim3(128), args, 0, 0);
}

void launch(int* a, int* b, int blocks) {
  from_first<<<blocks, 128>>>(a);
  from_last<<<8, 128>>>(a);
  chain<<<blocks, 128>>>(a);
  chain_up<<<blocks, 128>>>(a);
  meet<<<blocks, 128>>>(a);
  by_ticket<<<blocks, 128>>>(a, b);
  by_next_ticket<<<blocks, 128>>>(a, b);
  locked<<<blocks, 128>>>(a, b);
  from_elsewhere<<<blocks, 128>>>(a);
  one_cta<<<1, 128>>>(a);
  in_cluster<<<2, 128>>>(a);
}
