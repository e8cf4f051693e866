// There are as many CTAs as rows: none comes to a second one, so nothing has to keep it from writing what others still read. It is a member of what the kernel is given.
// expect: inconclusive
// small: -

struct Batch {
  int rows;
  const float* in;
  float* out;
};

__global__ void mirror(Batch b) {
  __shared__ float s[64];
  for (int row = blockIdx.y; row < b.rows; row += gridDim.y) {
    s[threadIdx.x] = b.in[row * 64 + threadIdx.x];
    __syncthreads();
    b.out[row * 64 + threadIdx.x] = s[63 - threadIdx.x];
  }
}

void launch(const Batch& b) {
  const dim3 grid(1, b.rows);
  mirror<<<grid, 64>>>(b);
}
