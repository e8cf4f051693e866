// Threads leave a function before its barrier by two numbers.
// expect: violated race
// small: -

__device__ void put(float* s, float x, int n, int m) {
  s[threadIdx.x] = x;
  if (n > 5 * m + 60) return;
  __syncthreads();
}

__global__ void mirror(const float* a, float* b, int n, int m) {
  __shared__ float s[128];
  put(s, a[threadIdx.x], n, m);
  b[threadIdx.x] = s[127 - threadIdx.x];  // want FP720
}

void launch(const float* a, float* b, int n, int m) { mirror<<<1, 128>>>(a, b, n, m); }
