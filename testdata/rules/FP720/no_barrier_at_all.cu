// A file without a barrier, a fence or anything atomic.
__global__ void two_sums(float* out, const float* a, const float* b) {
  typedef cub::BlockReduce<float, 128> Reduce;
  __shared__ typename Reduce::TempStorage space;
  float x = Reduce(space).Sum(a[threadIdx.x]);  // want FP720 "reads space["
  float y = Reduce(space).Sum(b[threadIdx.x]);
  if (threadIdx.x == 0) out[0] = x + y;
}
