// Each thread sorts rows of its own and tells others where theirs begin: what goes from thread to thread is the beginning, and not the row.
// expect: inconclusive
// small: -

__global__ void order(volatile int* begins, int* row, int last) {
  const int step = blockDim.x * gridDim.x;
  int k = last + blockIdx.x * blockDim.x + threadIdx.x;
  while (k >= 0) {
    const int begin = begins[k];
    if (begin >= 0) {
      int kept = 0;
      for (int i = 0; i < 4; i++) {
        const int to = row[4 * k + i];
        if (to >= 0) {
          if (i != kept) {
            row[4 * k + i] = -1;
            row[4 * k + kept] = to;
          }
          kept++;
          begins[to] = begin + i;
        }
      }
      k -= step;
    }
    __syncthreads();
  }
}

void run(int* begins, int* row, int last) { order<<<32, 128>>>(begins, row, last); }
