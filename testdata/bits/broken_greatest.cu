// Lanes take the greater of their own and what the one above has: the first alone has the greatest, and all write theirs.
// expect: violated race
// small: -

__global__ void greatest(const float* in, float* out) {
  __shared__ float part[4];
  float v = in[threadIdx.x];
  for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_down_sync(~0u, v, o));
  part[threadIdx.x / 32] = v;  // want FP720
  __syncthreads();
  out[threadIdx.x] = part[threadIdx.x % 4];
}

void launch(const float* in, float* out) { greatest<<<1, 128>>>(in, out); }
