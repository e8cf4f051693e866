// As broken_complex.cu, with the barrier.
// expect: holds open=race-grid
// small: -
#include <cuComplex.h>
__global__ void __launch_bounds__(128) turn(const cuDoubleComplex* in, cuDoubleComplex* out) {
  __shared__ cuDoubleComplex row[128];
  row[threadIdx.x] = cuCmul(in[threadIdx.x], make_cuDoubleComplex(0.5, 0.5));
  __syncthreads();
  out[threadIdx.x] = cuCadd(row[127 - threadIdx.x], cuConj(in[threadIdx.x]));
}
