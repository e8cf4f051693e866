// As filled_by_warp.cu, and the others do not wait for it.
// expect: inconclusive
// small: -
template <class Value>
__device__ void normalized(const Value* in, Value* out, int n) {
  __shared__ Value length;
  if (threadIdx.x / 32 == 0) length_of(in, n, length);
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] / length;
  __syncthreads();
}

template <class Value>
__global__ void __launch_bounds__(128) all_rows(const Value* in, Value* out, int n) {
  normalized(in + blockIdx.x * n, out + blockIdx.x * n, n);
}
