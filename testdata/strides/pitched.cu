// A picture is brightened in place. How far its rows are apart the caller says: far enough that they do not overlap.
// expect: holds open=race-grid
// small: -
__global__ void __launch_bounds__(192) brighten(short* picture, int pitch, int by) {
  const int column = threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  short* at = picture + row * pitch + column;
  const short below = *at;
  *at = below + by;
}

void run(short* picture, int pitch, int height) { brighten<<<dim3(1, height / 8), dim3(24, 8)>>>(picture, pitch, 3); }
