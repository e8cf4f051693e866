// A word that nothing defines stands before a declaration with a value. It is taken for a specifier, and what comes behind is followed; nothing is proved, as it may be more than that.
// expect: inconclusive
// small: -
#include "settings_of_this_program.h"
__global__ void scaled(float* out, const float* in) {
  __shared__ float row[128];
  OF_THIS_PROGRAM float factor = 2.0f;
  row[threadIdx.x] = in[threadIdx.x] * factor;
  __syncthreads();
  out[threadIdx.x] = row[127 - threadIdx.x];
}
void run(float* out, const float* in) { scaled<<<1, 128>>>(out, in); }
