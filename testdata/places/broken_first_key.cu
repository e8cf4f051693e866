// Keys are counted from the first of them on, and those that are not of this part are left out. Nobody waits for the others' counts.
// expect: violated race
// small: -
__global__ void __launch_bounds__(128) frequencies(const int* keys, int first, int* counts) {
  __shared__ int part[64];
  if (threadIdx.x < 64) part[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < 1000; i += 128) {
    const int key = keys[i] - first;
    if (key < 0 || key >= 64) continue;
    atomicAdd(&part[key], 1);
  }
  if (threadIdx.x < 64) counts[blockIdx.x * 64 + threadIdx.x] = part[threadIdx.x];  // want FP720
}
