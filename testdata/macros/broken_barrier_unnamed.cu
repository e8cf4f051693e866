// The name of the barrier alone calls nothing.
// expect: violated race
// small: -
#define MEET __syncthreads
__global__ void mirrored(float* out, const float* in) {
  __shared__ float row[128];
  row[threadIdx.x] = in[threadIdx.x];
  MEET;
  out[threadIdx.x] = row[127 - threadIdx.x];
}
void run(float* out, const float* in) { mirrored<<<1, 128>>>(out, in); }
