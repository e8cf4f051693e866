// As hidden.cu, without the barrier.
// expect: violated race
// small: -
#include "folds_of_this_program.h"
namespace host {
float fold(float a, float b) {
  cudaDeviceSynchronize();
  return a + b;
}
}
using namespace host;
__global__ void folded(float* out, const float* in) {
  __shared__ float row[128];
  Folding<float> fold;
  row[threadIdx.x] = in[threadIdx.x];
  float far = row[127 - threadIdx.x];
  out[threadIdx.x] = fold(far, 1.0f);
}
void run(float* out, const float* in) { folded<<<1, 128>>>(out, in); }
