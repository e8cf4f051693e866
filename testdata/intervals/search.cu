// Each thread searches for as long as its own data say, and lanes vote in between; what they found is turned round behind a barrier.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(64) turned(const int* next, int* out, int most) {
  __shared__ int found[64];
  int at = threadIdx.x;
  for (int k = 0; k < most; k++) {
    at = next[at];
    if (at < 0) {
      __syncthreads();
      at = -at;
    }
  }
  __syncthreads();
  found[threadIdx.x] = at;
  __syncthreads();
  out[threadIdx.x] = found[63 - threadIdx.x];
}

void run(const int* next, int* out, int most) { turned<<<1, 64>>>(next, out, most); }
