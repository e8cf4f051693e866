// What begins with else is executed where the if before it is not: without that it would be a race.
// expect: inconclusive
// small: -

#define OTHERWISE(i) else { out[i] = tile[127 - i]; }

__global__ void either(const float* in, float* out, int n) {
  __shared__ float tile[128];
  if (n > 0) {
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = tile[threadIdx.x];
  }
  OTHERWISE(threadIdx.x)
}

void launch(const float* in, float* out, int n) { either<<<1, 128>>>(in, out, n); }
