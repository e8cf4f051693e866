// A window of weights goes to shared memory where it lies within the image; threads read it before all is there, which shows only with a window, an image and channels that
// go together.
// expect: violated race
// small: -

__global__ void weighted(const float* weights, const float* image, float* out, int channels, int height, int width, int window) {
  extern __shared__ float kept[];
  int top = blockIdx.y - (window - 1) / 2, left = blockIdx.x - (window - 1) / 2;
  for (int i = threadIdx.x; i < window * window; i += blockDim.x) {
    int y = top + i / window, x = left + i % window;
    if (y >= 0 && y < height && x >= 0 && x < width) kept[i] = weights[i];
  }
  for (int c = threadIdx.x; c < channels; c += blockDim.x) {
    float sum = 0;
    for (int i = 0; i < window; ++i) {
      for (int k = 0; k < window; ++k) {
        int y = top + i, x = left + k;
        if (y >= 0 && y < height && x >= 0 && x < width) sum += image[(y * width + x) * channels + c] * kept[i * window + k];
      }
    }
    out[(blockIdx.y * width + blockIdx.x) * channels + c] = sum;
  }
}

void run(const float* weights, const float* image, float* out, int channels, int height, int width, int window) {
  weighted<<<dim3(width, height), 128, window * window * sizeof(float)>>>(weights, image, out, channels, height, width, window);
}
