// The first words of a statement are a macro's: what stands behind it is no statement of its own, and is one thread's.
// expect: inconclusive
// reason: ONE_OF_THEM, a macro that is not expanded
// small: -

#define ONE_OF_THEM if (threadIdx.x == 1)

__global__ void chosen(const float* in, float* out) {
  __shared__ float row[64];
  const int own = threadIdx.x;
  row[own] = in[own];
  ONE_OF_THEM
  row[63 - own] = 0;
  out[own] = row[own];
}

void run(const float* in, float* out) { chosen<<<1, 64>>>(in, out); }
