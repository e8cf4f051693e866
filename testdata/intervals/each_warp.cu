// Each warp copies the table of peers for itself, all the same, and waits for its own lanes alone; data say which peer it is.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(128) put_to_peer(float* const* to, const int* which, const float* in, int peers, int each) {
  __shared__ float* near[64];
  for (int i = threadIdx.x % 32; i < peers; i += 32) near[i] = to[i];
  __syncwarp();
  float* const mine = near[which[blockIdx.x]];
  for (int k = threadIdx.x; k < each; k += 128) mine[k] = in[k];
}

void run(float* const* to, const int* which, const float* in, int peers, int each) { put_to_peer<<<16, 128>>>(to, which, in, peers, each); }
