// As pitch.cu, and the lanes do not wait for each other.
// expect: violated race
// small: -
template <int across, int down>
__global__ void pairs(const float* in, float* out) {
  extern __shared__ float part[];
  const int thread = threadIdx.y * across + threadIdx.x;
  float* own = part + (thread >> 5) * 32;
  own[thread & 31] = in[blockIdx.x * across * down + thread];  // want FP720
  out[blockIdx.x * across * down + thread] = own[(thread & 31) ^ 1];
}

template __global__ void pairs<8, 16>(const float*, float*);
