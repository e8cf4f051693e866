// Macros of a header that is not there stand in the heads of classes, of namespaces and of kernels, and beside __shared__.
// expect: violated race
// small: -
#include "absent/macros.h"

namespace steps STEPS_VISIBLE {

struct SUM Reversal {
  __device__ void run(float* out, const float* in) {
    __shared__ ALIGNMENT(16) float s[128];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[127 - threadIdx.x]; // want FP720
  }
};

KERNEL void reverse(float* out, const float* in) {
  Reversal r;
  r.run(out, in);
}

}

void launch(float* out, const float* in) { steps::reverse<<<1, 128>>>(out, in); }
