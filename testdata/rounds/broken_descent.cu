// As in descent.cu: the warp is not joined before the root is read.
// expect: violated race
// small: -

__global__ void descend(const int* child, float* sums, int n) {
  __shared__ int next[256], at[256];
  int lane = threadIdx.x % 32, root = threadIdx.x / 32 * 32;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
    float sum = 0;
    int depth = root;
    if (lane == 0) {
      next[depth] = 0;  // want FP720
      at[depth] = n;  // want FP720
    }
    do {
      int c = next[depth], from = at[depth];
      __syncwarp();
      for (; c < 8; c++) {
        int to = child[from + c];
        if (__all_sync(0xffffffff, to < 0)) {
          sum += to;
        } else {
          if (lane == 0) {
            next[depth] = c + 1;
            at[depth] = from;
          }
          depth++;
          c = -1;
          from = to;
        }
      }
      depth--;
    } while (depth >= root);
    __syncwarp();
    sums[k] = sum;
  }
}

void run(const int* child, float* sums, int n) { descend<<<64, 256>>>(child, sums, n); }
