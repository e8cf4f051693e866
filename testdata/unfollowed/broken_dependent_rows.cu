// As dependent_rows.cu, without the barrier.
// expect: violated race
// small: -
template <class Kit>
__global__ void __launch_bounds__(128) gathered(float* out, const float* in) {
  using Piece = typename Kit::Piece;
  __shared__ float row[128];
  Piece pieces[Kit::COUNT];
  row[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = row[127 - threadIdx.x];
}
