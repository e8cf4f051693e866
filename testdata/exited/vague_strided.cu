// Each thread adds up numbers in strides. Where the bound is no multiple of the threads, lanes of the last round shuffle with some that
// have left the kernel: they wait for nobody, and what they read of these is undefined.
// expect: inconclusive
// small: -
__global__ void kernel(const float *a, float *b, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float v = a[i];
    v += __shfl_xor_sync(0xffffffffu, v, 1);
    b[i] = v;
  }
}

void run(const float *a, float *b, int n) { kernel<<<1, 64>>>(a, b, n); }
