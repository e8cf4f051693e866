// The text of a macro begins with else: each use is a launch.
// expect: holds
// small: -

template <int Width>
__global__ void widest(const float* in, float* out) {
  float v = in[threadIdx.y * Width + threadIdx.x];
  for (int d = Width / 2; d > 0; d /= 2) v = max(v, __shfl_xor_sync(0xffffffffu, v, d, Width));
  if (threadIdx.x == 0) out[threadIdx.y] = v;
}

void launch(const float* in, float* out, int columns) {
  if (columns <= 0) return;
#define UP_TO(w) else if (columns <= w) { widest<w><<<1, dim3(w, 64 / w)>>>(in, out); }
  UP_TO(2)
  UP_TO(8)
  UP_TO(32)
#undef UP_TO
}
