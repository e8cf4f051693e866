// As one_of.cu, without the barrier.
// expect: violated race
// small: -
struct Corner {
  float x, y, z;
};
__device__ float& axis(Corner& c, int i) {
  if (i == 0) return c.x;
  if (i == 1) return c.y;
  return c.z;
}
__global__ void turned(float* out, const float* in, int i) {
  __shared__ float row[128];
  Corner c{in[threadIdx.x], 0.0f, 0.0f};
  axis(c, i) = 1.0f;
  row[threadIdx.x] = c.x;
  out[threadIdx.x] = row[127 - threadIdx.x];
}
void run(float* out, const float* in, int i) { turned<<<1, 128>>>(out, in, i); }
