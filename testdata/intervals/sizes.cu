// A template's instances are launched with one thread for each row; barriers stand before and behind what others read of it.
// expect: inconclusive
// small: -
struct Panel;
__device__ int steps_of(const Panel* p);

template <int N>
__global__ void eliminate(const Panel* p, float* all) {
  __shared__ float pivot[N];
  float* row = all + threadIdx.x * N;
  const int steps = steps_of(p);
  for (int k = 0; k < steps; k++) {
    pivot[threadIdx.x] = row[k % N];
    __syncthreads();
    for (int j = 0; j < N; j++) row[j] -= pivot[j] * pivot[N - 1 - threadIdx.x];
    __syncthreads();
  }
}

void run(const Panel* p, float* all, int n) {
  switch (n) {
    case 1: eliminate<1><<<16, 1>>>(p, all); break;
    case 2: eliminate<2><<<16, 2>>>(p, all); break;
    case 64: eliminate<64><<<16, 64>>>(p, all); break;
  }
}
