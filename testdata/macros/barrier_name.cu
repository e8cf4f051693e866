// A macro without parameters that is the name of the barrier, whoever compiles it: what has parentheses behind it calls that.
// expect: holds
// small: -
#ifdef FOR_ANOTHER_VENDOR
#define MEET __syncthreads
#else
#define MEET __syncthreads
#endif
__global__ void mirrored(float* out, const float* in) {
  __shared__ float row[128];
  row[threadIdx.x] = in[threadIdx.x];
  MEET();
  float far = row[127 - threadIdx.x];
  MEET();
  row[threadIdx.x] = far * 2.0f;
  MEET();
  out[threadIdx.x] = row[threadIdx.x ^ 64];
}
void run(float* out, const float* in) { mirrored<<<1, 128>>>(out, in); }
