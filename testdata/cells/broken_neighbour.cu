// Each thread reads the element after its own, which another warp may have written.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[129];
  s[t] = a[t];  // want FP720
  __syncwarp();
  b[t] = s[t + 1];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
