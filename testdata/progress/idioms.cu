// The idioms of idioms.jsonl as kernels: docs/progress.md has their table. Each kernel stands under its idiom's name.
#include <cuda_runtime.h>

__device__ __forceinline__ int look(const int* flag) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__device__ __forceinline__ void raise(int* flag) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
}

__device__ __forceinline__ void wait_for(const int* flag) {
  while (look(flag) == 0) {
  }
}

__device__ __forceinline__ void lock(int* word) {
  while (atomicExch(word, 1) != 0) {
  }
  __threadfence();
}

__device__ __forceinline__ void unlock(int* word) {
  __threadfence();
  atomicExch(word, 0);
}

// idiom: one way, producer first
__global__ void producer_first(int* ready) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    raise(ready);
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    wait_for(ready);
  }
}

// idiom: one way, consumer first
__global__ void consumer_first(int* ready) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) {
      wait_for(ready);
    } else {
      raise(ready);
    }
  }
}

// idiom: one way in one cluster
__global__ void __cluster_dims__(2, 1, 1) in_one_cluster(int* ready) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) {
      wait_for(ready);
    } else {
      raise(ready);
    }
  }
}

__device__ void greet(int* ready) {
  if (threadIdx.x == 0) {
    raise(ready + blockIdx.x);
    wait_for(ready + 1 - blockIdx.x);
  }
  __syncthreads();
}

// idiom: two ways
__global__ void two_ways(int* ready) { greet(ready); }

// idiom: two ways, cooperative
__global__ void two_ways_cooperative(int* ready) { greet(ready); }

// idiom: mutex by exchange
__global__ void mutex(int* word, int* sum) {
  if (threadIdx.x == 0) {
    lock(word);
    sum[0] = sum[0] + 1;
    unlock(word);
  }
}

// idiom: lock that is not given back
__global__ void never_unlocked(int* word, int* sum) {
  if (threadIdx.x == 0) {
    lock(word);
    sum[0] = sum[0] + 1;
  }
}

// idiom: dining philosophers, left fork first
__global__ void left_fork_first(int* forks) {
  const int left = blockIdx.x;
  const int right = (blockIdx.x + 1) % gridDim.x;
  if (threadIdx.x == 0) {
    lock(forks + left);
    lock(forks + right);
    unlock(forks + right);
    unlock(forks + left);
  }
}

// idiom: dining philosophers, lower fork first
__global__ void lower_fork_first(int* forks) {
  const int left = blockIdx.x;
  const int right = (blockIdx.x + 1) % gridDim.x;
  if (threadIdx.x == 0) {
    lock(forks + min(left, right));
    lock(forks + max(left, right));
    unlock(forks + max(left, right));
    unlock(forks + min(left, right));
  }
}

__device__ void barrier(int* arrived, int* go, int leader) {
  __syncthreads();
  if (threadIdx.x == 0) {
    if (blockIdx.x == leader) {
      for (int other = 0; other < gridDim.x; ++other) {
        if (other != leader) {
          wait_for(arrived + other);
        }
      }
      raise(go);
    } else {
      raise(arrived + blockIdx.x);
      wait_for(go);
    }
  }
  __syncthreads();
}

// idiom: grid barrier, leader first
__global__ void leader_first(int* arrived, int* go) { barrier(arrived, go, 0); }

// idiom: grid barrier, leader last
__global__ void leader_last(int* arrived, int* go) { barrier(arrived, go, gridDim.x - 1); }

// idiom: grid barrier, cooperative
__global__ void barrier_cooperative(int* arrived, int* go) { barrier(arrived, go, 0); }

// idiom: look-back by block index
__global__ void by_block_index(int* done) {
  if (threadIdx.x == 0) {
    if (blockIdx.x > 0) {
      wait_for(done + blockIdx.x - 1);
    }
    raise(done + blockIdx.x);
  }
}

// idiom: look-back by block index, downwards
__global__ void downwards(int* done) {
  if (threadIdx.x == 0) {
    if (blockIdx.x + 1 < gridDim.x) {
      wait_for(done + blockIdx.x + 1);
    }
    raise(done + blockIdx.x);
  }
}

// idiom: look-back by ticket
__global__ void by_ticket(int* next, int* done) {
  __shared__ int turn;
  if (threadIdx.x == 0) {
    turn = atomicAdd(next, 1);
  }
  __syncthreads();
  const int mine = turn;
  if (threadIdx.x == 0) {
    if (mine > 0) {
      wait_for(done + mine - 1);
    }
    raise(done + mine);
  }
}

void launch(int* a, int* b) {
  producer_first<<<2, 32>>>(a);
  consumer_first<<<2, 32>>>(a);
  in_one_cluster<<<2, 32>>>(a);
  two_ways<<<2, 32>>>(a);
  mutex<<<2, 32>>>(a, b);
  never_unlocked<<<2, 32>>>(a, b);
  left_fork_first<<<3, 32>>>(a);
  lower_fork_first<<<3, 32>>>(a);
  leader_first<<<3, 32>>>(a, b);
  leader_last<<<3, 32>>>(a, b);
  by_block_index<<<3, 32>>>(a);
  downwards<<<3, 32>>>(a);
  by_ticket<<<3, 32>>>(a, b);
  void* one[] = {&a};
  cudaLaunchCooperativeKernel((void*)two_ways_cooperative, dim3(2), dim3(32), one, 0, 0);
  void* two[] = {&a, &b};
  cudaLaunchCooperativeKernel((void*)barrier_cooperative, dim3(3), dim3(32), two, 0, 0);
}
