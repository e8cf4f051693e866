// cuComplex.h: complex numbers are vectors of two, and what is computed of them is not followed further than that each part follows from the parts that it is made of.
using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = float2;

__device__ float cuCrealf(cuFloatComplex x) { return x.x; }
__device__ float cuCimagf(cuFloatComplex x) { return x.y; }
__device__ cuFloatComplex make_cuFloatComplex(float r, float i) { return make_float2(r, i); }
__device__ cuFloatComplex make_cuComplex(float r, float i) { return make_float2(r, i); }
__device__ cuFloatComplex cuConjf(cuFloatComplex x) { return make_float2(x.x, -x.y); }
__device__ cuFloatComplex cuCaddf(cuFloatComplex x, cuFloatComplex y) { return make_float2(x.x + y.x, x.y + y.y); }
__device__ cuFloatComplex cuCsubf(cuFloatComplex x, cuFloatComplex y) { return make_float2(x.x - y.x, x.y - y.y); }
__device__ cuFloatComplex cuCmulf(cuFloatComplex x, cuFloatComplex y) { return make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }
__device__ cuFloatComplex cuCfmaf(cuFloatComplex x, cuFloatComplex y, cuFloatComplex d) { return cuCaddf(cuCmulf(x, y), d); }
__device__ cuFloatComplex cuCdivf(cuFloatComplex x, cuFloatComplex y) {
  float n = y.x * y.x + y.y * y.y;
  return make_float2((x.x * y.x + x.y * y.y) / n, (x.y * y.x - x.x * y.y) / n);
}
__device__ float cuCabsf(cuFloatComplex x) { return sqrtf(x.x * x.x + x.y * x.y); }

__device__ double cuCreal(cuDoubleComplex x) { return x.x; }
__device__ double cuCimag(cuDoubleComplex x) { return x.y; }
__device__ cuDoubleComplex make_cuDoubleComplex(double r, double i) { return make_double2(r, i); }
__device__ cuDoubleComplex cuConj(cuDoubleComplex x) { return make_double2(x.x, -x.y); }
__device__ cuDoubleComplex cuCadd(cuDoubleComplex x, cuDoubleComplex y) { return make_double2(x.x + y.x, x.y + y.y); }
__device__ cuDoubleComplex cuCsub(cuDoubleComplex x, cuDoubleComplex y) { return make_double2(x.x - y.x, x.y - y.y); }
__device__ cuDoubleComplex cuCmul(cuDoubleComplex x, cuDoubleComplex y) { return make_double2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }
__device__ cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d) { return cuCadd(cuCmul(x, y), d); }
__device__ cuDoubleComplex cuCdiv(cuDoubleComplex x, cuDoubleComplex y) {
  double n = y.x * y.x + y.y * y.y;
  return make_double2((x.x * y.x + x.y * y.y) / n, (x.y * y.x - x.x * y.y) / n);
}
__device__ double cuCabs(cuDoubleComplex x) { return sqrt(x.x * x.x + x.y * x.y); }

__device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return make_double2(x.x, x.y); }
__device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) { return make_float2((float)x.x, (float)x.y); }
