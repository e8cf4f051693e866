// As one_of_known.cu, where what is set by it decides whether there is a race.
// expect: violated race
// small: -
struct Corner {
  int x, y, z;
};
__device__ int& axis(Corner& c, int i) {
  if (i == 0) return c.x;
  if (i == 1) return c.y;
  return c.z;
}
__global__ void turned(float* out, int i) {
  __shared__ float row[128];
  Corner c{1, 1, 1};
  axis(c, i) = 0;
  row[threadIdx.x] = 1.0f;
  __syncthreads();
  if (c.x == 0) row[127 - threadIdx.x] = 2.0f;
  out[threadIdx.x] = row[threadIdx.x];
}
void run(float* out, int i) { turned<<<1, 128>>>(out, i); }
