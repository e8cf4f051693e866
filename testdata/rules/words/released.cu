// Words by which CTAs wait for each other, in functions by themselves: who waits acquires, and nothing that it may wait for releases.
#include <cuda/atomic>

__device__ void together(unsigned* word, unsigned total) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned before, now;
    const unsigned adds = blockIdx.x == 0 ? 0x80000000u - (total - 1) : 1u;
    asm volatile("atom.add.relaxed.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(word), "r"(adds) : "memory");  // want FP304 "written with relaxed order"
    do {
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
    } while (((before ^ now) & 0x80000000u) == 0);
  }
  __syncthreads();
}

__device__ void together_released(unsigned* word, unsigned total) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned before, now;
    const unsigned adds = blockIdx.x == 0 ? 0x80000000u - (total - 1) : 1u;
    asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(word), "r"(adds) : "memory");
    do {
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
    } while (((before ^ now) & 0x80000000u) == 0);
  }
  __syncthreads();
}

// A fence in the thread that writes the word makes it a release pattern.
__device__ void together_fenced(unsigned* word, unsigned total) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned now;
    __threadfence();
    atomicAdd(word, 1u);
    do {
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
    } while (now < total);
  }
  __syncthreads();
}

// Nothing is handed over: both sides say so.
__device__ void started(unsigned* word, unsigned total) {
  if (threadIdx.x == 0) {
    unsigned now;
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
    do {
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
    } while (now < total);
  }
  __syncthreads();
}

struct Gate {
  unsigned* word;
  unsigned round;

  __device__ void pass(unsigned total) {
    __syncthreads();
    if (threadIdx.x == 0) {
      cuda::atomic_ref<unsigned, cuda::thread_scope_device> at(*word);
      at.fetch_add(1u, cuda::memory_order_relaxed);  // want FP304 "written with relaxed order"
      while (at.load(cuda::memory_order_acquire) < total * (round + 1)) {
      }
    }
    __syncthreads();
    ++round;
  }

  __device__ void pass_released(unsigned total) {
    __syncthreads();
    if (threadIdx.x == 0) {
      cuda::atomic_ref<unsigned, cuda::thread_scope_device> at(*word);
      at.fetch_add(1u, cuda::memory_order_release);
      while (at.load(cuda::memory_order_acquire) < total * (round + 1)) {
      }
    }
    __syncthreads();
    ++round;
  }
};

// Each rank writes a word of each other one's, and waits for those that are its own.
__global__ void ranks(unsigned** words, int rank, int count, unsigned epoch) {
  __syncthreads();
  if (threadIdx.x < count) {
    unsigned* theirs = words[threadIdx.x] + rank;
    unsigned* mine = words[rank] + threadIdx.x;
    unsigned now;
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(theirs), "r"(epoch) : "memory");  // want FP304 "written with relaxed order"
    do {
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(now) : "l"(mine) : "memory");
    } while (now != epoch);
  }
  __syncthreads();
}

// The word is set back for the next time, which is not what is waited for: that somebody else writes.
__device__ void taken(unsigned* word) {
  if (threadIdx.x == 0) {
    unsigned now;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
    } while (now != 1);
    asm volatile("st.relaxed.gpu.global.u32 [%0], 0;" ::"l"(word) : "memory");
  }
  __syncthreads();
}

// What the guess for a template's parameter leaves out.
template <int Members, bool Cluster>
__device__ void either(unsigned* word) {
  if constexpr (Cluster) {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  } else {
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned now;
      asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(word) : "memory");  // want FP304 "written with relaxed order"
      do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
      } while (now % Members != 0);
    }
    __syncthreads();
  }
}

// Of kernels whose other parts are not followed one side at least is known: the last CTA calls what nobody knows before it reads.
template <typename Start>
__device__ float sum_of(float* parts, unsigned* left, float mine, Start start) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = mine;
    last = atomicAdd(left, 1u) == gridDim.x - 1;  // want FP304 "expected release"
  }
  __syncthreads();
  float all = 0;
  if (last) {
    __threadfence();
    start(all);
    for (int k = 0; k < gridDim.x; ++k) all += parts[k];
  }
  return all;
}

template <typename Start>
__device__ float sum_of_fenced(float* parts, unsigned* left, float mine, Start start) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = mine;
    __threadfence();
    last = atomicAdd(left, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  float all = 0;
  if (last) {
    __threadfence();
    start(all);
    for (int k = 0; k < gridDim.x; ++k) all += parts[k];
  }
  return all;
}
