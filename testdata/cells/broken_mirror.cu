// Each thread reads the element that another warp has written, with a barrier of its own warp between.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  s[t] = a[t];  // want FP720
  __syncwarp();
  b[t] = s[127 - t];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
