// Whose memory a method writes hangs on which element it is called of: one of them is of shared memory that others read.
// expect: inconclusive
// small: n=1

struct View {
  float* to;
  __device__ void put(int at, float x) { to[at] = x; }
};

__global__ void handed(const float* in, float* out, int n) {
  __shared__ float here[64];
  __shared__ float there[64];
  View views[2];
  views[0].to = here;
  views[1].to = there;
  views[n & 1].put(threadIdx.x, in[threadIdx.x]);
  out[threadIdx.x] = here[63 - threadIdx.x];
}

void run(const float* in, float* out, int n) { handed<<<1, 64>>>(in, out, n); }
