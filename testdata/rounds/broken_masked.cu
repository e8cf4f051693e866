// As masked.cu, where a tile that is passed over is written again while other warps still look at it.
// expect: violated race
// small: -
#define WIDTH 128
__global__ void __launch_bounds__(WIDTH) weighed(const float* in, const float* weights, float* out, int n) {
  __shared__ float weight[WIDTH], row[WIDTH];
  float sum = 0;
  for (int from = blockIdx.x * WIDTH; from < n; from += gridDim.x * WIDTH) {
    weight[threadIdx.x] = weights[from + threadIdx.x];
    __syncthreads();
    bool none = true;
    for (int k = threadIdx.x & 31; k < WIDTH; k += 32) none = none && weight[k] == 0;
    if (__all_sync(0xffffffff, none)) continue;
    row[threadIdx.x] = in[from + threadIdx.x] * weight[WIDTH - 1 - threadIdx.x];
    __syncthreads();
    sum += row[threadIdx.x ^ 32];
  }
  out[blockIdx.x * WIDTH + threadIdx.x] = sum;
}
void run(const float* in, const float* weights, float* out, int n) { weighed<<<32, WIDTH>>>(in, weights, out, n); }
