// The all-reduce of several GPUs whose leader block waits for no other block of its GPU.
// expect: inconclusive
// small: -
#include <cuda_runtime.h>
#include <cstdint>

constexpr int GPUS = 4;
constexpr int BLOCKS = 2;
constexpr int THREADS = 32;
constexpr int ROUNDS = 3;

// What each GPU lets the others reach.
template <int N>
struct Reachable {
  uint32_t* flags[N];
  float* parts[N];
};

__device__ __forceinline__ void raise_flag(uint32_t* flag, uint32_t round) {
#if __CUDA_ARCH__ >= 700
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(round) : "memory");
#else
  __threadfence_system();
  asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(flag), "r"(round) : "memory");
#endif
}

__device__ __forceinline__ uint32_t look_at(const uint32_t* flag) {
  uint32_t round;
#if __CUDA_ARCH__ >= 700
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(round) : "l"(flag) : "memory");
#else
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(round) : "l"(flag) : "memory");
  __threadfence_system();
#endif
  return round;
}

template <int N>
__device__ __forceinline__ void meet(const Reachable<N>& all, int rank, uint32_t round) {
  const int peer = threadIdx.x;
  const int slot = (round % 2) * N;
  if (peer < N) {
    if (blockIdx.x == 0) {
      raise_flag(all.flags[peer] + slot + rank, round);
    }
    while (look_at(all.flags[rank] + slot + peer) != round) {
    }
  }
  __syncthreads();
}

template <int N>
__global__ void all_reduce(Reachable<N> all, int rank, float* sums) {
  const int at = blockIdx.x * THREADS + threadIdx.x;
  const int half = BLOCKS * THREADS;
  for (uint32_t round = 1; round <= ROUNDS; ++round) {
    const int mine = (round % 2) * half + at;
    all.parts[rank][mine] = 0.5f * at;
    meet<N>(all, rank, round);
    float sum = 0.0f;
    for (int from = 0; from < N; ++from) {
      sum += all.parts[from][mine];
    }
    sums[at] = sum;
  }
}

void launch(Reachable<GPUS> all, float** sums) {
  for (int rank = 0; rank < GPUS; ++rank) {
    cudaSetDevice(rank);
    all_reduce<GPUS><<<BLOCKS, THREADS>>>(all, rank, sums[rank]);
  }
}
