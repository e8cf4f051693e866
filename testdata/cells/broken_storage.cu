// A field of a struct in shared memory, laid out by the kernel.
// expect: violated race
// small: -
struct Storage {
  float table[128];
};

__global__ void cells(const float* a, float* b) {
  int t = threadIdx.x;
  __shared__ Storage storage;
  storage.table[t] = a[t];  // want FP720
  __syncwarp();
  b[t] = storage.table[127 - t];
}

void launch(const float* a, float* b) { cells<<<1, 128>>>(a, b); }
