// Each thread stores four elements at once.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  __syncthreads();
  if (t < 32) reinterpret_cast<float4*>(s)[t] = reinterpret_cast<const float4*>(a)[t];  // want FP720
  if (t >= 96) b[t] = s[t];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
