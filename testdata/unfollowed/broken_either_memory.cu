// As either_memory.cu, without the barrier at the end.
// expect: violated race
// small: -
struct View {
  float* to;
};
__global__ void staged(float* out, const float* in, int n) {
  __shared__ float row[128], stage[128];
  View view{out};
  if (n > 3) view.to = stage;
  view.to[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  row[threadIdx.x] = in[threadIdx.x + 128];
  out[threadIdx.x + 256] = row[127 - threadIdx.x];
}
void run(float* out, const float* in, int n) { staged<<<1, 128>>>(out, in, n); }
