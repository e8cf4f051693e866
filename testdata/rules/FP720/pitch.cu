// Rows of a picture whose length the caller says: who reads the row below reads what another thread writes.
__global__ void __launch_bounds__(64) lifted(int* picture, int pitch) {
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  const int below = picture[(y + 1) * pitch + x];  // want FP720 "reads picture[2 * pitch]"
  picture[y * pitch + x] = below;
}

__global__ void __launch_bounds__(64) lifted_in_step(int* picture, int pitch) {
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  const int below = picture[(y + 1) * pitch + x];
  __syncthreads();
  picture[y * pitch + x] = below;
}

void run(int* picture, int pitch) {
  lifted<<<1, 64>>>(picture, pitch);
  lifted_in_step<<<1, 64>>>(picture, pitch);
}
