// Arrays of a type that a parameter of the template has, and of as many elements as that says, are declared; they are the thread's own.
// expect: holds open=race-grid
// small: -
template <class Kit>
__global__ void __launch_bounds__(128) gathered(float* out, const float* in) {
  using Piece = typename Kit::Piece;
  __shared__ float row[128];
  Piece pieces[Kit::COUNT];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = row[127 - threadIdx.x];
}
