// As broken_members.cu, with the barrier before the next row.
// expect: inconclusive
// small: -
template <typename Shape>
__global__ void __launch_bounds__(128) turn(Shape shape, const float* in, float* out) {
  __shared__ float row[128];
  for (int r = 0; r < shape.rows; r++) {
    row[threadIdx.x] = in[r * 128 + threadIdx.x];
    __syncthreads();
    if (shape.wanted(3)) out[r * 128 + threadIdx.x] = row[127 - threadIdx.x];
    __syncthreads();
  }
}
