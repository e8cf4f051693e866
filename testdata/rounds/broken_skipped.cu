// As skipped.cu, but who passes over a row does not wait: the next number is written while others read this one.
// expect: violated race
// small: -
__global__ void __launch_bounds__(128) longest(const int* starts, int* ticket, int* out, int rows) {
  __shared__ int row;
  __shared__ int most[4];
  while (true) {
    if (threadIdx.x == 0) {
      row = atomicAdd(ticket, 1);
    }
    __syncthreads();
    const int mine = row;
    if (mine >= rows) {
      break;
    }
    const int begin = starts[mine], end = starts[mine + 1];
    if (begin == end) {
      continue;
    }
    int v = begin + threadIdx.x < end ? threadIdx.x : 0;
    v = __reduce_max_sync(0xffffffff, v);
    if (threadIdx.x % 32 == 0) {
      most[threadIdx.x / 32] = v;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      out[mine] = max(max(most[0], most[1]), max(most[2], most[3]));
    }
  }
}

void run(const int* starts, int* ticket, int* out, int rows) { longest<<<64, 128>>>(starts, ticket, out, rows); }
