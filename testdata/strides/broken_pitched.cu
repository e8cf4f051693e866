// As pitched.cu, but each thread brightens by what stands in the row below its own, which another thread brightens.
// expect: violated race
// small: -
__global__ void __launch_bounds__(192) brighten(short* picture, int pitch, int by) {
  const int column = threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  short* at = picture + row * pitch + column;
  const short below = at[pitch];
  *at = below + by;
}

void run(short* picture, int pitch, int height) { brighten<<<dim3(1, height / 8), dim3(24, 8)>>>(picture, pitch, 3); }
