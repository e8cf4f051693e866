// One launch is decided and the other is not: there the last threads read behind the array.
// expect: inconclusive
// small: -

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[128];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = s[threadIdx.x ^ 127];
}

void launch(const float* a, float* b, int n) {
  if (n > 3) mirror<<<1, 128>>>(a, b);
  else mirror<<<1, 256>>>(a, b);
}
