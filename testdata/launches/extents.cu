// As many threads, and CTAs, as the host hands to the kernel: all of them pass the check.
// expect: holds
// small: -
__global__ void offsets(int groups, const int* sizes, int* at) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g < groups) {
    __shared__ int sum;
    if (g == 0) {
      sum = 0;
    }
    __syncthreads();
    at[g] = atomicAdd(&sum, sizes[g]);
  }
}

struct Sizes {
  int count() const;
  int half() const;
};

void prepare(const Sizes& sizes, const int* of, int* at, bool halved) {
  int groups;
  if (halved) {
    groups = sizes.half();
  } else {
    groups = sizes.count();
  }
  dim3 threads(groups);
  offsets<<<1, threads>>>(groups, of, at);
}
