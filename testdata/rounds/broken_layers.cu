// Layers are turned one after the other, as many as the grid leaves to a CTA; the next one is put over what others still read.
// expect: violated race
// small: -

__global__ void turned(const float* in, float* out, int rows, int columns, int layers) {
  __shared__ float tile[16][17];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  const int to_x = blockIdx.y * 16 + threadIdx.x, to_y = blockIdx.x * 16 + threadIdx.y;
  for (int layer = blockIdx.z; layer < layers; layer += gridDim.z) {
    const float* from = in + layer * rows * columns;
    float* to = out + layer * rows * columns;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = from[y * columns + x];  // want FP720
    __syncthreads();
    if (to_x < rows && to_y < columns) to[to_y * rows + to_x] = tile[threadIdx.x][threadIdx.y];
  }
}

void run(const float* in, float* out, int rows, int columns, int layers) {
  turned<<<dim3((columns + 15) / 16, (rows + 15) / 16, layers < 64 ? layers : 64), dim3(16, 16)>>>(in, out, rows, columns, layers);
}
