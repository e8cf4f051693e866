// Where a thread's element is follows from a product of 24 bits, as kernels for old devices have it.
// expect: violated race
// small: -
#define AT(row, column) (column + __mul24(row, 33))

__global__ void turned(const float* in, float* out) {
  __shared__ float s[32 * 33];
  const unsigned first = __umul24(blockIdx.x, 1024) + __umul24(threadIdx.y, 32) + threadIdx.x;
  for (int row = threadIdx.y; row < 32; row += 8) s[AT(row, threadIdx.x)] = in[first + 32 * (row - threadIdx.y)];
  for (int row = threadIdx.y; row < 32; row += 8) out[first + 32 * (row - threadIdx.y)] = s[AT(threadIdx.x, row)];  // want FP720
}

void launch(const float* in, float* out) { turned<<<4, dim3(32, 8)>>>(in, out); }
