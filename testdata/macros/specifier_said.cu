// As specifier.cu, with the macro in the file: it says no more than constexpr.
// expect: holds
// small: -
#define OF_THIS_PROGRAM constexpr
__global__ void scaled(float* out, const float* in) {
  __shared__ float row[128];
  OF_THIS_PROGRAM float factor = 2.0f;
  row[threadIdx.x] = in[threadIdx.x] * factor;
  __syncthreads();
  out[threadIdx.x] = row[127 - threadIdx.x];
}
void run(float* out, const float* in) { scaled<<<1, 128>>>(out, in); }
