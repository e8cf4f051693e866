// What the kernel calls is there only where a name is defined that no file defines: that is taken to be so, and said.
// expect: holds
// small: -
#ifdef WITH_TILES
__device__ void meet() { __syncthreads(); }
#endif

__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  meet();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
