// Counts stand beside a flag in one array: what is waited for is the flag, and that is written without release.
// expect: violated order
// small: -

template <int Kinds>
__global__ void sorted(const int* kind, int* place, int* counts, int* out, int n) {
  const int first = blockIdx.x * 128 + threadIdx.x;
  for (int i = first; i < n; i += gridDim.x * 128) {
    int at;
    asm volatile("atom.relaxed.gpu.global.add.s32 %0, [%1], 1;" : "=r"(at) : "l"(&counts[kind[i]]));
    place[i] = at;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int* done = &counts[Kinds];
    int was, now;
    asm volatile("atom.relaxed.gpu.global.add.s32 %0, [%1], 1;" : "=r"(was) : "l"(done));  // want FP304
    do {
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(now) : "l"(done));
    } while (now != gridDim.x);
  }
  __syncthreads();
  for (int i = first; i < n; i += gridDim.x * 128) out[i] = place[n - 1 - i];
}

void run(const int* kind, int* place, int* counts, int* out, int n) { sorted<16><<<32, 128>>>(kind, place, counts, out, n); }
