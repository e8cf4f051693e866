// One thread alone asks for what the CTA has counted, and sets it: the others do not come to what stands behind &&, nor to what stands behind ?.
// expect: holds open=race
// small: -
__device__ int last;

__global__ void numbers(int* out, int n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 2);
  __syncthreads();
  if (threadIdx.x == 0 && count > n) count = n;
  if (threadIdx.x != 0 || last == n) {
  } else {
    last = n;
  }
  __syncthreads();
  const int most = threadIdx.x == 32 ? count : 0;
  if (threadIdx.x == 32) count = n - 1;
  out[blockIdx.x * 128 + threadIdx.x] = most;
}

void launch(int* out, int n) { numbers<<<1, 128>>>(out, n); }
