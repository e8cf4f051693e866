// As extents.cu, but the number that the kernel is handed is another one by then: threads beyond it do not come to the barrier, which stays open.
// expect: holds open=deadlock
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
  int groups = sizes.count();
  dim3 threads(groups);
  if (halved) {
    groups = sizes.half();
  }
  offsets<<<1, threads>>>(groups, of, at);
}
