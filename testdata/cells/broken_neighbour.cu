// Each thread reads the element after its own, which another warp may have written.
// expect: violated race
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[129];
  s[t] = a[t];
  __syncwarp();
  b[t] = s[t + 1];  // want FP702
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
