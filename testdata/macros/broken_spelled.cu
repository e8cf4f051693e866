// The text of a macro's argument stands in PTX: with 1 the last copies are still under way.
// expect: violated race
// small: -
#include <cstdint>

#define COPY(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory")  // want FP720
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(left) asm volatile("cp.async.wait_group " #left ";" ::: "memory")

__global__ void mirrored(const float* in, float* out) {
  __shared__ float row[2][64];
  const int t = threadIdx.x;
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(row);
  COPY(base + t * 4, in + t);
  COMMIT();
  COPY(base + 256 + t * 4, in + 64 + t);
  COMMIT();
  WAIT(1);
  __syncthreads();
  out[t] = row[0][63 - t] + row[1][63 - t];
}

void launch(const float* in, float* out) { mirrored<<<1, 64>>>(in, out); }
