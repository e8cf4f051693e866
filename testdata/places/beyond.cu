// With each number with which the row is written at all it is written behind its end: what is done with n of 0 says nothing of the others.
// expect: inconclusive
// small: -

__global__ void flip(const int* in, int* out, int n) {
  __shared__ int row[32];
  if (n > 0) {
    row[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = row[threadIdx.x ^ 1];
  }
}

void launch(const int* in, int* out, int n) { flip<<<1, 128>>>(in, out, n); }
