// A macro with parameters is defined twice: each kernel has what stands above it, whether the first one is taken back or not.
// expect: holds
// small: -

#define AT(i, j) (2 * ((i) + 8 * (j)))
__device__ int even(int i, int j) { return AT(i, j); }
#define AT(i, j) (2 * ((i) + 8 * (j)) + 1)
__device__ int odd(int i, int j) { return AT(i, j); }

#define MEET() __syncwarp()
__device__ void lanes() { MEET(); }
#undef MEET
#define MEET() __syncthreads()

#define LAUNCH(k) k<<<1, 32>>>(in, out)
#undef LAUNCH
#define LAUNCH(k, n) k<<<1, n>>>(in, out)

__global__ void interleave(const float* in, float* out) {
  __shared__ float row[256];
  int i = threadIdx.x % 8, j = threadIdx.x / 8;
  row[even(i, j)] = in[threadIdx.x];
  row[odd(i, j)] = in[threadIdx.x + 128];
  MEET();
  out[threadIdx.x] = row[255 - threadIdx.x];
}

void launch(const float* in, float* out) { LAUNCH(interleave, 128); }
