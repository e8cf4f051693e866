// Counters that their owners zero and all threads count in. Which ones, the data says.
__global__ void count(int* out, const int* in, int n) {
  __shared__ int bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const int bin = in[i] & 255;
    atomicAdd(&bins[bin], 1);  // want FP720 "updates bins"
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) out[i] = bins[i];
}

__global__ void count_joined(int* out, const int* in, int n) {
  __shared__ int bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(bins + (in[i] & 255), 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) out[i] = bins[i];
}

// Each warp counts in bins of its own.
__global__ void by_warp(int* out, const int* in, int n) {
  __shared__ int bins[4][256];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = lane; i < 256; i += 32) bins[warp][i] = 0;
  __syncwarp();
  for (int i = threadIdx.x; i < n; i += 128) atomicAdd(&bins[warp][in[i] & 255], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128) out[i] = bins[0][i] + bins[1][i] + bins[2][i] + bins[3][i];
}

// The name says warp, and the value comes from memory.
__global__ void named_so(int* out, const int* in, int n) {
  __shared__ int groups[4][8];
  const int warp_id = threadIdx.x / 32;
  for (int i = 0; i < 8; ++i) groups[warp_id][i] = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int key = in[i];
    int warp_idx = key / 8;
    atomicAdd(&groups[warp_idx][key % 8], 1);
  }
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = groups[0][threadIdx.x];
}

// A place that memory chooses, written and read by the same thread.
__global__ void own_place(float* out, const float* in, const int* where) {
  __shared__ float kept[1024];
  const int at = where[threadIdx.x];
  kept[at] = in[threadIdx.x];
  out[threadIdx.x] = kept[at] * 2.0f;
}

// Places that counting gives out, and an order that nobody waited for.
__global__ void gather(float* out, const float* in, int* taken) {
  __shared__ float kept[128];
  const int at = atomicAdd(taken, 1) & 127;
  kept[at] = in[threadIdx.x];
  out[threadIdx.x] = kept[threadIdx.x];
}

// Enough is enough: an old count costs a round more.
__global__ void until(float* out, const float* in, int limit) {
  __shared__ int hits;
  if (threadIdx.x == 0) hits = 0;
  __syncthreads();
  float sum = 0.0f;
  while (hits < limit) {
    sum += in[threadIdx.x];
    atomicAdd(&hits, 1);  // want FP720 "updates hits"
  }
  out[threadIdx.x] = sum;
}

// A volatile variable waits for nobody.
__global__ void last_of(int* out, const int* in, int rounds) {
  __shared__ volatile int total;
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x == 127) total = in[r];
    sum += total;  // want FP720 "reads total"
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void flag_in_shared(int* out, const int* in) {
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) ready = in[0];
  while (ready == 0) {
  }
  out[threadIdx.x] = ready;
}
