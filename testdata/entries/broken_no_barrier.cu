// As right.cu, with its one barrier deleted: nothing in the kernel synchronizes any more.
// expect: violated race
// small: -
constexpr int THREADS = 64;

__global__ void __launch_bounds__(THREADS) mirror(const float* in, float* out) {
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];  // want FP720
}

void run(const float* in, float* out) { mirror<<<1, THREADS>>>(in, out); }
