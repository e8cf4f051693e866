struct ClusterBarrier {
  void init(int);
  void arrive();
  void wait(int);
};

// The lane that arrives does not wait for what the others put into shared memory.
__global__ void hand_over(float* out, const float* in, int rounds) {
  __shared__ float row[32];
  __shared__ ClusterBarrier full, empty;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) { full.init(1); empty.init(1); }
  __syncthreads();
  for (int i = 0; i < rounds; ++i) {
    if (warp == 0) {
      empty.wait((i & 1) ^ 1);
      row[lane] = in[i * 32 + lane];
      if (lane == 0) full.arrive();  // want FP704 "other lanes may not have written"
    } else {
      full.wait(i & 1);
      out[i * 32 + lane] = row[31 - lane];
      __syncwarp();
      if (lane == 0) empty.arrive();
    }
  }
}

__global__ void hand_over_in_order(float* out, const float* in, int rounds) {
  __shared__ float row[32];
  __shared__ ClusterBarrier full, empty;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) { full.init(1); empty.init(1); }
  __syncthreads();
  for (int i = 0; i < rounds; ++i) {
    if (warp == 0) {
      empty.wait((i & 1) ^ 1);
      row[lane] = in[i * 32 + lane];
      __syncwarp();
      if (lane == 0) full.arrive();
    } else {
      full.wait(i & 1);
      out[i * 32 + lane] = row[31 - lane];
      __syncwarp();
      if (lane == 0) empty.arrive();
    }
  }
}

// The lane that publishes is the only one that wrote.
__global__ void alone(int* tails, int n) {
  __shared__ volatile int turn;
  __shared__ int last[32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  while (lane == 0 and turn != warp);
  __syncwarp();
  if (lane == 0) {
    last[lane] = n;
    turn += 1;
  }
}

// Nobody waits on the word.
__global__ void counted(int* out, int n) {
  __shared__ volatile int seen;
  __shared__ int last[128];
  int lane = threadIdx.x % 32;
  last[threadIdx.x] = n;
  if (lane == 0) seen = 1;
  __syncthreads();
  out[threadIdx.x] = seen + last[127 - threadIdx.x];
}
