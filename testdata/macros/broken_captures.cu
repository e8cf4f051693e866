// As right_captures.cu, by reference.
// expect: violated race
// small: -
__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  bool meet = true;
  auto go = [&]() {
    if (meet) __syncthreads();
  };
  meet = false;
  go();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // want FP720
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
