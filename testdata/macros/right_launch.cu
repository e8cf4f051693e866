// The launch shape is a constant of the host.
// expect: holds
// small: -
__global__ void mirror(const float* in, float* out) {
  __shared__ float tile[128];
  const int t = threadIdx.x + 32 * threadIdx.y;
  tile[t] = in[t];
  __syncthreads();
  out[t] = tile[127 - t];
}

void run(const float* in, float* out) {
  const dim3 block(32, 4);
  mirror<<<1, block>>>(in, out);
}
