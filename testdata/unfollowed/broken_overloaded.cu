// The text has several functions of a name that the library has, too, and none of them takes a number: the library's is meant.
// expect: violated race
// small: -
struct Dual {
  float value, slope;
};
static __device__ float fabs(Dual d) { return fabs(d.value); }
static __device__ float fabs(const Dual* d) { return fabs(d->value); }
static __device__ float half_of(float x) { return x / 2; }
__global__ void __launch_bounds__(128) turn(const float* in, const Dual* dual, float* out) {
  __shared__ float row[128];
  row[threadIdx.x] = fabs(half_of(in[threadIdx.x])) + fabs(dual[threadIdx.x]);
  out[threadIdx.x] = fabs(row[127 - threadIdx.x]);  // want FP720
}
