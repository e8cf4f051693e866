// As columns.cu, without the barrier.
// expect: violated race
// small: -
__global__ void mixed(const float* in, float* out, int bound) {
  extern __shared__ float rows[];
  if (blockDim.x != 32) __trap();
  int at = threadIdx.y * 32 + threadIdx.x;
  rows[at] = in[at];
  out[at] = rows[(threadIdx.y + 1) % blockDim.y * 32 + threadIdx.x]; // want FP720
}

void run(const float* in, float* out, dim3 block, int bytes) { mixed<<<1, block, bytes>>>(in, out, 4); }
