// An object refers to two arrays: what is written is read before the threads meet.
// expect: violated race
// small: -

struct Rows {
  float (&from)[2][64];
  float (&to)[2][64];
  __device__ explicit Rows(float (&a)[2][64], float (&b)[2][64]) : from(a), to(a) {}
  __device__ float get(int r, int k) const { return from[r][k]; }  // want FP720
  __device__ void put(int r, int k, float x) { to[r][k] = x; }
};

__global__ void mirrored(const float* in, float* out) {
  __shared__ float left[2][64];
  __shared__ float right[2][64];
  const int t = threadIdx.x;
  left[1][t] = in[t];
  __syncthreads();
  Rows rows(left, right);
  rows.put(1, t, in[64 + t]);
  out[t] = rows.get(1, 63 - t);
}

void launch(const float* in, float* out) { mirrored<<<1, 64>>>(in, out); }
