// As made.cu, but the first thread of a row, which adds, does not wait for who is the last one of it.
// expect: violated race
// small: -
#include <cuda_runtime.h>

__global__ void row_sums(float* out, const float* in, unsigned wide, unsigned last, unsigned rows) {
  extern __shared__ float cells[];
  unsigned t = threadIdx.x, row = t / wide;
  float* part = cells + rows;
  if (t % wide == 0) cells[row] = in[blockIdx.x * rows + row];
  part[t] = in[t];
  if (t % wide == 0) {
    float sum = cells[row];
    for (unsigned k = 0; k <= last; ++k) sum += part[t + k];
    out[blockIdx.x * rows + row] = sum;
  }
}

void sum_rows(float* out, const float* in, unsigned rows, unsigned most, size_t room) {
  unsigned threads = 1;
  while (threads * 2 <= most) threads *= 2;
  unsigned wide = threads / 4;
  unsigned last = wide - 1;
  while ((threads + 4) * sizeof(float) > room) {
    threads /= 2;
    wide = threads / 4;
    last = wide - 1;
  }
  row_sums<<<rows, threads, (threads + 4) * sizeof(float)>>>(out, in, wide, last, 4);
}
