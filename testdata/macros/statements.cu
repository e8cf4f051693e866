// Macros without parameters whose text is statements, with a semicolon of their own, on a line of their own, at the end of a block, in another's text and as the one
// statement of an if.
// expect: holds
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
  MEET_ALL
  BOTH;
  if (more > 2) STEP;
  MEET_ALL;
  for (int k = 0; k < 2; k++) {
    GATHER
  }
  out[own] = x;
}

void run(const float* in, float* out, int more) { folded<<<1, 128>>>(in, out, more); }
