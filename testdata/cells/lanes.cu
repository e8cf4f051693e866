// Each lane reads the element of its neighbour in the warp.
// expect: holds
// small: -

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ float s[128];
  __syncthreads();
  s[t] = a[t];
  __syncwarp();
  b[t] = s[t ^ 1];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
