// Overloads for `long` and `unsigned long`, which are as wide as what CUDA's own update takes, call that by its name.
// expect: holds
// small: -
static __device__ long atomicAdd(long* at, long by) { return (long)atomicAdd((unsigned long long*)at, (unsigned long long)by); }
static __device__ unsigned long atomicAdd(unsigned long* at, unsigned long by) { return (unsigned long)atomicAdd((unsigned long long*)at, (unsigned long long)by); }

__global__ void __launch_bounds__(128) total(const unsigned long* in, unsigned long* out) {
  __shared__ unsigned long sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}

void run(const unsigned long* in, unsigned long* out) { total<<<1, 128>>>(in, out); }
