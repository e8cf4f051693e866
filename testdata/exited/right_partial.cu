// The CTA ends within a warp, whose last lanes read of each other only.
// expect: holds
// small: -

__global__ void means(const float* in, float* out) {
  __shared__ float parts[3];
  float v = in[threadIdx.x];
  for (int d = 8; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffff, v, d);
  if (threadIdx.x % 16 == 0) parts[threadIdx.x / 16] = v;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = parts[0] + parts[1] + parts[2];
}

void launch(const float* in, float* out) { means<<<1, 48>>>(in, out); }
