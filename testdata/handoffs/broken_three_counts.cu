// CTAs meet by three counts in turn, the next of which is set back: that announces nothing, and the count is not in order with what was written before.
// expect: violated order
// small: -

struct Meeting {
  unsigned counts[3];
  unsigned turn;

  __device__ void meet(unsigned all) {
    __syncthreads();
    if (threadIdx.x == 0) {
      const unsigned mine = (turn + 1) % 3;
      unsigned *count = &counts[mine], was, now;
      counts[(mine + 1) % 3] = 0;
      asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(was) : "l"(count) : "memory");
      do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(count) : "memory");
      } while (now != all);
      turn = mine;
    }
    __syncthreads();
  }
};

__global__ void twice(const float* in, float* row, float* other, float* out, Meeting* first, Meeting* second, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  row[i] = in[i] * 2;
  first->meet(n);  // want FP304
  const float v = in[i] + row[gridDim.x * 128 - 1 - i];
  other[i] = v;
  second->meet(n);  // want FP304
  out[i] = other[gridDim.x * 128 - 1 - i];
}

void run(const float* in, float* row, float* other, float* out, Meeting* first, Meeting* second, int n) { twice<<<n, 128>>>(in, row, other, out, first, second, n); }
