// A barrier that reduces names half of the threads.
// expect: violated deadlock
// small: -
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void any(const float* in, float* out) {
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = in[threadIdx.x];
  int count;
  asm volatile(
      "{\n"
      ".reg .pred positive;\n"
      "setp.gt.f32 positive, %1, 0f00000000;\n"
      "bar.red.popc.u32 %0, 1, 64, positive;\n"
      "}\n" : "=r"(count) : "f"(in[threadIdx.x]) : "memory");
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x] + count;
}

void run(const float* in, float* out) { any<<<1, THREADS>>>(in, out); }
