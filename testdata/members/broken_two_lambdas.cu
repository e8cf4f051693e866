// Each lambda has a type of its own (C++17 [expr.prim.lambda.closure]): what is made of one leads to other memory than what is made of another one. Here both lead to the same bytes.
// expect: violated race
// small: -
template <typename F> struct Parts {
  F part;
  __device__ explicit Parts(F f) : part(f) {}
  __device__ auto operator[](unsigned i) const { return part(i); }
};

__global__ void __launch_bounds__(128) apart(const float* in, float* out) {
  extern __shared__ unsigned char memory[];
  auto first = [&](unsigned i) { return reinterpret_cast<float*>(memory + i * 512); };
  Parts<decltype(first)> low(first);
  auto high = Parts([&](unsigned i) { return reinterpret_cast<float*>(memory + i * 512); });
  low[0][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  high[0][threadIdx.x] = low[0][threadIdx.x ^ 32];  // want FP720
  high[1][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = high[0][threadIdx.x ^ 32] + high[1][threadIdx.x ^ 64];
}
