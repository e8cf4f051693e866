// What it reads through is of any type that can be subscripted, and the host's template hands it on. Nobody waits for what others add.
// expect: violated race
// small: -
template <typename Values, typename Keys, typename Sum>
__global__ void __launch_bounds__(128) sums_by_key(Values values, Keys keys, int rows, Sum* sums) {
  __shared__ Sum part[32];
  if (threadIdx.x < 32) part[threadIdx.x] = 0;
  __syncthreads();
  for (int row = threadIdx.x; row < 512; row += 128) {
    const int key = keys[row];
    atomicAdd(&part[key], static_cast<Sum>(values[row] * rows));
  }
  if (threadIdx.x < 32) sums[blockIdx.x * 32 + threadIdx.x] = part[threadIdx.x];  // want FP720
}

template <typename Values, typename Keys, typename Sum> void add_by_key(Values values, Keys keys, int rows, Sum* sums, int blocks) {
  sums_by_key<<<blocks, 128>>>(values, keys, rows, sums);
}
