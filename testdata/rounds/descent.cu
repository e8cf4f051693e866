// A warp goes down and up a tree. Its first lane keeps the way in shared memory, and the warp is joined before the others read it. How often it is read, and where, data say behind the first time.
// expect: inconclusive
// small: -

__global__ void descend(const int* child, float* sums, int n) {
  __shared__ int next[256], at[256];
  int lane = threadIdx.x % 32, root = threadIdx.x / 32 * 32;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
    float sum = 0;
    int depth = root;
    if (lane == 0) {
      next[depth] = 0;
      at[depth] = n;
    }
    __syncwarp();
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
