// What combines two values is the caller's, and one of those that are here waits for all threads: that may be the barrier.
// expect: inconclusive
// small: -
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Joint {
  __device__ float operator()(float a, float b) const {
    __syncthreads();
    return a + b;
  }
};
template <typename Op>
__global__ void __launch_bounds__(64) combine(const float* in, float* out) {
  __shared__ float s[64];
  Op op;
  s[threadIdx.x] = in[threadIdx.x];
  float all = op(1.f, in[threadIdx.x]);
  out[threadIdx.x] = s[63 - threadIdx.x] + all;
}
