// The CTA ends within a warp: what its last lanes add up is partly of lanes that there are not.
// expect: inconclusive
// reason: the last warp of the CTA has no such lane
// small: -

__global__ void means(const float* in, float* out) {
  __shared__ float parts[2];
  float v = in[threadIdx.x];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = parts[0] + parts[1];
}

void launch(const float* in, float* out) { means<<<1, 48>>>(in, out); }
