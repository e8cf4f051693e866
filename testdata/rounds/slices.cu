// Each warp has a slice of its own, and says the first of it that somebody asks for: not more than there are.
// expect: inconclusive
// small: -

__global__ void __launch_bounds__(128) firsts(const float* in, float* out, int asked) {
  extern __shared__ float slice[];
  float* mine = slice + threadIdx.x / 32 * 48;
  const int lane = threadIdx.x % 32;
  for (int i = lane; i < 48; i += 32) mine[i] = in[i];
  __syncwarp();
  for (int i = lane; i < asked; i += 32) out[threadIdx.x / 32 * asked + i] = mine[i] + mine[0];
}

void run(const float* in, float* out, int asked) { firsts<<<1, 128, 4 * 48 * sizeof(float)>>>(in, out, asked); }
