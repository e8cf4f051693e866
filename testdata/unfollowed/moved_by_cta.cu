// As broken_moved_by_cta.cu, with a barrier before the next values come.
// expect: holds open=race-grid
// small: -
__global__ void __launch_bounds__(128) neighbours(const int* links, const float* in, float* out) {
  extern __shared__ float row[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  row[threadIdx.x] = in[i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 4; k++) sum += row[links[4 * i + k] - blockIdx.x * blockDim.x];
  __syncthreads();
  row[threadIdx.x] = sum;
  __syncthreads();
  out[i] = row[threadIdx.x ^ 1];
}

void run(const int* links, const float* in, float* out, int n) { neighbours<<<n / 128, 128, 512>>>(links, in, out); }
