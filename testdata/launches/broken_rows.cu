// There are fewer CTAs than rows where these are many: one writes the next row while threads still read the last one.
// expect: violated race
// small: -

struct Batch {
  int rows;
  const float* in;
  float* out;
};

__global__ void mirror(Batch b) {
  __shared__ float s[64];
  for (int row = blockIdx.y; row < b.rows; row += gridDim.y) {
    s[threadIdx.x] = b.in[row * 64 + threadIdx.x];  // want FP720
    __syncthreads();
    b.out[row * 64 + threadIdx.x] = s[63 - threadIdx.x];
  }
}

void launch(const Batch& b) {
  const dim3 grid(1, min(b.rows, 1024));
  mirror<<<grid, 64>>>(b);
}
