// Lanes exchange what is the greater of two until all have the greatest, and all write it.
// expect: holds
// small: -

__global__ void greatest(const float* in, float* out) {
  __shared__ float part[4];
  float v = in[threadIdx.x];
  for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  part[threadIdx.x / 32] = v;
  __syncthreads();
  out[threadIdx.x] = part[threadIdx.x % 4];
}

void launch(const float* in, float* out) { greatest<<<1, 128>>>(in, out); }
