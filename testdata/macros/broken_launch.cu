// As right_launch.cu; only the lanes of a warp meet.
// expect: violated race
// small: -
__global__ void mirror(const float* in, float* out) {
  __shared__ float tile[128];
  const int t = threadIdx.x + 32 * threadIdx.y;
  tile[t] = in[t];  // want FP720
  __syncwarp();
  out[t] = tile[127 - t];
}

void run(const float* in, float* out) {
  const dim3 block(32, 4);
  mirror<<<1, block>>>(in, out);
}
