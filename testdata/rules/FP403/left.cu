// Threads beyond the end have left, and the barrier is inside another check of a bound.
__constant__ int width;

__global__ void widened(const float* in, float* out, int rounds) {
  __shared__ float part[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= width) return;
  for (int r = 0; r < rounds; r++) {
    part[threadIdx.x] = in[r * width + i];
    __syncthreads();
    if (i < width - 2) {
      float v = part[threadIdx.x ^ 1];
      __syncthreads();  // want FP403 "only by the threads that pass a check of their bound"
      out[r * width + i] = v;
    }
    __syncthreads();
  }
}

void run(const float* in, float* out, int n, int rounds) { widened<<<(n + 127) / 128, 128>>>(in, out, rounds); }
