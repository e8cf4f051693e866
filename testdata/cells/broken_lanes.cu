// Each lane reads the element of its neighbour in the warp, and nothing says that the warp runs in step.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  __syncthreads();
  s[t] = a[t];  // want FP720
  b[t] = s[t ^ 1];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
