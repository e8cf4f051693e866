// What one thread reads from memory says when all threads leave; from the fourth round on they read what others write in the same round.
// expect: violated race
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
    if (i >= 3) v += s[i % 4][127 - threadIdx.x]; // want FP720
    i++;
  }
  out[threadIdx.x] = v;
}
