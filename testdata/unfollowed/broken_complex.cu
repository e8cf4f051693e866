// Complex numbers of CUDA are pairs, and what is computed of them orders nothing.
// expect: violated race
// small: -
#include <cuComplex.h>
__global__ void __launch_bounds__(128) turn(const cuDoubleComplex* in, cuDoubleComplex* out) {
  __shared__ cuDoubleComplex row[128];
  row[threadIdx.x] = cuCmul(in[threadIdx.x], make_cuDoubleComplex(0.5, 0.5));
  out[threadIdx.x] = cuCadd(row[127 - threadIdx.x], cuConj(in[threadIdx.x]));  // want FP720
}
