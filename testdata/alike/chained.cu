// All threads assign one number to two places at once: what was assigned is not read again.
// expect: holds
// small: -
__global__ void both(const int* in, int* first, int* second, int n) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = in[n];
  __syncthreads();
  *first = *second = sum;
}

void launch(const int* in, int* first, int* second, int n) { both<<<1, 128>>>(in, first, second, n); }
