// As named.cu, but the sum is read while the next call writes over it; and __syncthreads; without parentheses is none.
// expect: violated race
// small: -
__device__ float summed(float v, float* part) {
  part[threadIdx.x] = v;
  __syncthreads();
  for (int n = 64; n > 0; n /= 2) {
    if (threadIdx.x < n) {
      part[threadIdx.x] += part[threadIdx.x + n];
    }
    __syncthreads();
  }
  FENCE_OF_THIS_PROGRAM
  float sum = part[0];
  __syncthreads;
  return sum;
}

__global__ void __launch_bounds__(128) moments(const float* in, float* out) {
  __shared__ float part[128];
  float v = in[blockIdx.x * 128 + threadIdx.x], first = summed(v, part), second = summed(v * v, part);
  if (threadIdx.x == 0) {
    out[blockIdx.x] = second - first * first;
  }
}
void run(const float* in, float* out, int rows) { moments<<<rows, 128>>>(in, out); }
