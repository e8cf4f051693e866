// What all CTAs go over is rows of as many columns as a CTA has threads: all of them come to the barrier.
// expect: holds open=race-grid
// small: -

__global__ void sums(int n, const float* in, float* out) {
  __shared__ float part[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    part[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = part[threadIdx.x] - part[blockDim.x - 1 - threadIdx.x];
  }
}

void launch(const float* in, float* out, int rows, int columns) {
  const int n = rows * columns;
  switch (columns) {
    case 64:
      sums<<<rows, 64>>>(n, in, out);
      break;
    case 128:
      sums<<<rows, 128>>>(n, in, out);
      break;
  }
}
