// The second of two launches is of the kernel without its barrier.
// expect: violated race
// small: -

template <bool Meet> __global__ void turned(const float* a, float* b) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  if constexpr (Meet) __syncthreads();
  b[threadIdx.x] = s[63 - threadIdx.x];  // want FP720
}

void launch(const float* a, float* b, int n) {
  if (n > 3) turned<true><<<1, 64>>>(a, b);
  else turned<false><<<1, 64>>>(a, b);
}
