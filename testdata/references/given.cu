// A function gives each thread a reference to its element.
// expect: holds
// small: -

__device__ float& at(float* s, int i) { return s[i]; }

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  at(s, t) = a[t];
  __syncthreads();
  b[t] = at(s, 127 - t);
}

void launch(const float* a, float* b) { mirror<<<1, 128>>>(a, b); }
