// Ages are set to none, and behind a barrier those of the listed ones to zero.
// expect: holds open=race
// small: -
__global__ void __launch_bounds__(256) renew(float* age, const int* listed, int n, int count) {
  for (int j = threadIdx.x; j < n; j += blockDim.x) age[j] = -1.f;
  __syncthreads();
  for (int j = threadIdx.x; j < count; j += blockDim.x) age[listed[j]] = 0.f;
}

void run(float* age, const int* listed, int n, int count) { renew<<<1, 256>>>(age, listed, n, count); }
