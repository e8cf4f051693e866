// Lanes exchange numbers as the bits of registers of inline PTX until all have the same sum, and all write it.
// expect: holds
// small: -

__device__ float across(float v, int lanes) {
  float other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(other) : "f"(v), "r"(lanes));
  return other;
}

__global__ void total(const float* in, float* out) {
  __shared__ float part[4];
  float v = in[threadIdx.x];
  for (int o = 16; o > 0; o /= 2) v += across(v, o);
  part[threadIdx.x / 32] = v;
  __syncthreads();
  out[threadIdx.x] = part[threadIdx.x % 4];
}

void launch(const float* in, float* out) { total<<<1, 128>>>(in, out); }
