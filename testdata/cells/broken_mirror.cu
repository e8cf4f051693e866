// Each thread reads the element that another warp has written, with a barrier of its own warp between.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  s[t] = a[t];
  __syncwarp();
  b[t] = s[127 - t];  // want FP702
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
