// Each element is written once, at a place that data choose, and none is read before: whether two threads come to one is not known.
// expect: inconclusive
// small: -

__global__ void permute(const unsigned* to, const float* in, float* out) {
  __shared__ float row[256];
  row[to[threadIdx.x] & 255] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = row[threadIdx.x];
}

void launch(const unsigned* to, const float* in, float* out) { permute<<<1, 256>>>(to, in, out); }
