// As statements.cu, without the barrier between the write of the row and the sum.
// expect: violated race
// small: -

#define MEET_ALL __syncthreads();
#define OWN const int own = threadIdx.x; const int last = blockDim.x - 1;
#define GATHER x += row[last - own];
#define BOTH GATHER; MEET_ALL
#define STEP do { x += 1; row[own] = x; } while (0)

__global__ void folded(const float* in, float* out, int more) {
  __shared__ float row[128];
  OWN
  float x = 0;
  row[own] = in[own];
  BOTH;
  if (more > 2) STEP;
  MEET_ALL;
  for (int k = 0; k < 2; k++) {
    GATHER
  }
  out[own] = x;
}

void run(const float* in, float* out, int more) { folded<<<1, 128>>>(in, out, more); }
