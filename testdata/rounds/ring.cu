// What one thread reads from memory says when all threads leave: they have it in common, and a stage of the ring comes round every four rounds.
// expect: holds open=race-grid
// small: -

__global__ void __launch_bounds__(128) stages(const float* in, float* out, const int* more) {
  __shared__ float s[4][128];
  __shared__ int goes;
  int i = 0;
  float v = 0;
  while (true) {
    if (threadIdx.x == 0) goes = more[i];
    __syncthreads();
    if (goes == 0) break;
    __syncthreads();
    s[i % 4][threadIdx.x] = in[i * 128 + threadIdx.x];
    if (i >= 3) v += s[(i + 1) % 4][127 - threadIdx.x];
    i++;
  }
  out[threadIdx.x] = v;
}
