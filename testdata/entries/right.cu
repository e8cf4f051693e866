// A tile is mirrored through shared memory.
// expect: holds
// small: -
constexpr int THREADS = 64;

__global__ void __launch_bounds__(THREADS) mirror(const float* in, float* out) {
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, THREADS>>>(in, out); }
