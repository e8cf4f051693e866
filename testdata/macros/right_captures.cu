// What a lambda captures by value is as it was when it was made.
// expect: holds
// small: -
__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  bool meet = true;
  int turn = 0;
  auto go = [meet, turn = turn + 1]() {
    if (meet && turn == 1) __syncthreads();
  };
  meet = false;
  turn = 7;
  go();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

void run(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
