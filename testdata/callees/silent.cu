// What combines two values is the caller's: none of those that are here waits for anybody, and the barrier stands.
// expect: inconclusive
// small: -
struct Sum {
  static __device__ float first() { return 0.f; }
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Most {
  static __device__ float first() { return -1e30f; }
  __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};
template <typename Op>
__global__ void __launch_bounds__(64) combine(const float* in, float* out) {
  __shared__ float s[64];
  Op op;
  float all = Op::first();
  s[threadIdx.x] = in[threadIdx.x];
  all = op(all, in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x] + all;
}
