// The counter pipeline in CUDA C++: producer CTAs publish rows through counters, a consumer CTA waits for each and sums.
// expect: holds open=order
// small: THREADS=32 PRODUCERS=2
#include <cstdint>

constexpr int THREADS = 128;
constexpr int PRODUCERS = 4;

__device__ __forceinline__ void publish(int* flag) {
  asm volatile("red.release.gpu.global.add.s32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
}

__device__ __forceinline__ int look(const int* flag) {
  int v;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(flag) : "memory");
  return v;
}

__global__ void publish_and_sum(float* rows, int* done, float* out) {
  const int block = blockIdx.x;
  const int tid = threadIdx.x;
  if (block < PRODUCERS) {
    rows[block * THREADS + tid] = 1.0f * tid;
    __syncthreads();
    if (tid == 0) {
      publish(done + block);
    }
  } else {
    if (tid == 0) {
      for (int row = 0; row < PRODUCERS; ++row) {
        while (look(done + row) < 1) {
        }
      }
    }
    __syncthreads();
    float total = 0.0f;
    for (int row = 0; row < PRODUCERS; ++row) {
      total += rows[row * THREADS + tid];
    }
    out[tid] = total;
  }
}

void launch(float* rows, int* done, float* out) {
  publish_and_sum<<<PRODUCERS + 1, THREADS>>>(rows, done, out);
}
