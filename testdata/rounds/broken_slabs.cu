// Two slabs of global memory change places each round, as often as the host says, and nobody waits for who writes what is read next.
// expect: violated race
// small: -
struct Slab {
  float* at;
  int width;
  __device__ float& of(int x, int y) const { return at[y * width + x]; }
};

__global__ void relaxed(float* a, float* b, int rounds) {
  Slab from{a + blockIdx.x * 256, 16};
  Slab to{b + blockIdx.x * 256, 16};
  const int x = threadIdx.x, y = threadIdx.y;
  for (int k = 0; k < rounds; ++k) {
    to.of(x, y) = 0.5f * (from.of(max(x - 1, 0), y) + from.of(x, min(y + 1, 15)));
    const Slab was = from;
    from = to;
    to = was;
  }
}

void run(float* a, float* b, int tiles, int rounds) { relaxed<<<tiles, dim3(16, 16)>>>(a, b, rounds); }
