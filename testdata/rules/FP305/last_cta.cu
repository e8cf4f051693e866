// The last CTA to finish sums what all CTAs left behind.
__global__ void last_cta(float* partial, unsigned* finished, float* total) {
  partial[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
  __threadfence();
  __shared__ bool last;
  if (threadIdx.x == 0) {
    unsigned ticket = atomicAdd(finished, 1);  // want FP305 "one thread publishes .finished. for its CTA"
    last = ticket == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) *total = partial[0];
}

__global__ void last_cta_joined(float* partial, unsigned* finished, float* total) {
  partial[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
  __threadfence();
  __syncthreads();
  __shared__ bool last;
  if (threadIdx.x == 0) {
    unsigned ticket = atomicAdd(finished, 1);
    last = ticket == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) *total = partial[0];
}

struct Counters {
  unsigned retired;
};

// Every thread fences what its caller wrote, and thread 0 does not wait for them.
__device__ bool retire(Counters* counters) {
  __threadfence();
  bool last = false;
  if (threadIdx.x == 0) {
    unsigned ticket = atomicInc(&counters->retired, gridDim.x - 1);  // want FP305 "retired"
    last = ticket == gridDim.x - 1;
  }
  return __syncthreads_or(last);
}

__device__ bool retire_joined(Counters* counters) {
  __threadfence();
  __syncthreads();
  bool last = false;
  if (threadIdx.x == 0) {
    unsigned ticket = atomicInc(&counters->retired, gridDim.x - 1);
    last = ticket == gridDim.x - 1;
  }
  return __syncthreads_or(last);
}

// A counter that no grid size is compared with hands out work; it announces nothing.
__global__ void work_counter(float* out, unsigned* next) {
  out[threadIdx.x] = 2.0f;
  __shared__ unsigned item;
  if (threadIdx.x == 0) item = atomicAdd(next, 1);
  __syncthreads();
  out[item] = 3.0f;
}

// The store is a wrapper of another file, named after its instruction.
__global__ void stage(uint4* ring, const uint4* src, unsigned* produced, int n) {
  int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    uint4* slot = ring + i * 128;
    slot[t] = src[t];
    if (t == 0) st_release_sys_u32(produced, i + 1);  // want FP305 "produced"
  }
}

__global__ void stage_joined(uint4* ring, const uint4* src, unsigned* produced, int n) {
  int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    uint4* slot = ring + i * 128;
    slot[t] = src[t];
    __syncthreads();
    if (t == 0) st_release_sys_u32(produced, i + 1);
  }
}
