// As right_temporary.cu, without the barrier.
// expect: violated race
// small: -
constexpr int THREADS = 64;

struct Meet {
  float* tile;
  __device__ void operator()(float x) const {
    tile[threadIdx.x] = x;
  }
};

__global__ void __launch_bounds__(THREADS) mirror(const float* in, float* out) {
  __shared__ float tile[THREADS];
  Meet{tile}(in[threadIdx.x]);
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];  // want FP720
}

void run(const float* in, float* out) { mirror<<<1, THREADS>>>(in, out); }
