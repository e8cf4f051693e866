// Each warp assigns a number of its own to two places at once.
// expect: violated race
// small: -
__global__ void both(const int* in, int* first, int* second, int n) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = in[n];
  __syncthreads();
  *first = *second = sum + threadIdx.x / 32;  // want FP720
}

void launch(const int* in, int* first, int* second, int n) { both<<<1, 128>>>(in, first, second, n); }
