// An age that a word in memory names is read by one thread while the others halve all of them.
// expect: holds open=race
// small: -
__global__ void __launch_bounds__(256) halve(float* age, const int* oldest, float* most, int n) {
  const int at = oldest[0];
  if (threadIdx.x == 0) most[0] = age[at];
  for (int j = threadIdx.x; j < n; j += blockDim.x) age[j] = age[j] * 0.5f;
}

void run(float* age, const int* oldest, float* most, int n) { halve<<<1, 256>>>(age, oldest, most, n); }
