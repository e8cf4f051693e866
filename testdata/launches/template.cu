// The second of two launches is of the kernel without a second barrier, which it does not need.
// expect: holds
// small: -

template <bool Meet> __global__ void turned(const float* a, float* b) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  if constexpr (Meet) __syncthreads();
  b[threadIdx.x] = s[63 - threadIdx.x];
}

void launch(const float* a, float* b, int n) {
  if (n > 3) turned<true><<<1, 64>>>(a, b);
  else turned<false><<<1, 64>>>(a, b);
}
