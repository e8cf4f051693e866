// Each thread searches for as long as its own data say, and lanes vote in between; nothing orders what they found with who turns it round.
// expect: violated race
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
  out[threadIdx.x] = found[63 - threadIdx.x];  // want FP720
}

void run(const int* next, int* out, int most) { turned<<<1, 64>>>(next, out, most); }
