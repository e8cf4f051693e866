// Each half of the CTA is handed its half of the array, by a pointer that the threads choose; no barrier stands between.
// expect: violated race
// small: -
__global__ void mirror(const float* in, float* out) {
  __shared__ float half[128];
  const int t = threadIdx.x;
  float* mine = t < 64 ? half : half + 64;
  mine[t % 64] = in[t];
  out[t] = mine[63 - t % 64];  // want FP720
}

void run(const float* in, float* out) { mirror<<<1, 128>>>(in, out); }
