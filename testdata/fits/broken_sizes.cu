// Static assertions want another number of each parameter of the template; threads read what others write.
// expect: violated race
// small: -

template <int Batch, int Width>
__global__ void shifted(const float* in, float* out) {
  static_assert(Batch == 1);
  static_assert(Width % 96 == 0 && Width > 100);
  __shared__ float row[Width];
  for (int i = threadIdx.x; i < Width; i += blockDim.x) row[i] = in[i];
  for (int i = threadIdx.x; i < Width; i += blockDim.x) out[i] = row[(i + Batch) % Width];  // want FP720
}
