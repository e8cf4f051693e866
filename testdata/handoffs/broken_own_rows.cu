// Each thread sorts rows, writes to the one of another thread and tells it where that begins, with no fence between.
// expect: violated order
// small: -

__global__ void order(volatile int* begins, int* row, int last) {
  const int step = blockDim.x * gridDim.x;
  int k = last + blockIdx.x * blockDim.x + threadIdx.x;
  while (k >= 0) {
    const int begin = begins[k];  // want FP303
    if (begin >= 0) {
      for (int i = 0; i < 4; i++) {
        const int to = row[4 * k + i];
        if (to >= 0) {
          row[4 * to] = k;
          begins[to] = begin + i;  // want FP304
        }
      }
      k -= step;
    }
  }
}

void run(int* begins, int* row, int last) { order<<<32, 128>>>(begins, row, last); }
