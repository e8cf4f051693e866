// A pointer leads to shared memory or to where nobody knows. What is accessed by it may be anything, and what comes behind is followed.
// expect: inconclusive
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
  __syncthreads();
  out[threadIdx.x + 256] = row[127 - threadIdx.x];
}
void run(float* out, const float* in, int n) { staged<<<1, 128>>>(out, in, n); }
