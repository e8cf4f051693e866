// What one_of.cu returns decides which element is read, so that what is set by it must not be taken for what it was.
// expect: inconclusive
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
  out[threadIdx.x] = row[threadIdx.x];
}
void run(float* out, int i) { turned<<<1, 128>>>(out, i); }
