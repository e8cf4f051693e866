// A mutable lambda changes its own copy: the second call meets.
// expect: holds
// small: -
__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  int turn = 0;
  auto go = [=]() mutable {
    turn += 1;
    if (turn == 2) __syncthreads();
  };
  turn = 5;
  go();
  go();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
