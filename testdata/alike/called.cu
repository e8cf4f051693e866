// What a function does is not known; behind it each warp finds the same in shared memory, and all write it.
// expect: inconclusive
// small: -
__device__ float bend(float x);

__global__ void first_of(const float* in, float* out) {
  __shared__ float row[256];
  row[threadIdx.x] = bend(in[blockIdx.x * 256 + threadIdx.x]);
  __syncthreads();
  out[blockIdx.x] = row[0] + row[255];
}

void launch(const float* in, float* out) { first_of<<<64, 256>>>(in, out); }
