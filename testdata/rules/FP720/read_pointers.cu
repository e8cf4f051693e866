// One thread changes a word that all others look at; the word is behind a chain of pointers into one dynamic array.
__global__ void clamped(const int* limit, const int* room, int* out) {
  extern __shared__ float4 space[];
  float4* items = (float4*)space;
  float* radii = (float*)&items[*limit];
  int* count = (int*)&radii[*room];
  if (threadIdx.x == 0) *count = 0;
  __syncthreads();
  atomicAdd(count, 1);
  __syncthreads();
  if (threadIdx.x == 0 && *count > *limit) *count = *limit;  // want FP720 "writes space"
  for (int i = 0; i < *count; ++i) {
    out[i * blockDim.x + threadIdx.x] = i;
    __syncthreads();
  }
}

__global__ void clamped_and_met(const int* limit, const int* room, int* out) {
  extern __shared__ float4 space[];
  float* radii = (float*)&space[*limit];
  int* count = (int*)&radii[*room];
  if (threadIdx.x == 0) *count = *limit;
  __syncthreads();
  for (int i = 0; i < *count; ++i) out[i * blockDim.x + threadIdx.x] = i;
}

struct sizes { int* done; int* limit; };

// What the launch hands over is the same for all threads, in a structure as well.
__global__ void after_a_common_exit(sizes given, int* out) {
  __shared__ int rounds;
  if (threadIdx.x == 0) {
    *(given.done) = 1;
    rounds = out[0];
  }
  __syncthreads();
  if (*(given.done) == 2) return;
  if (threadIdx.x == 0 && rounds == 0) rounds = 1;  // want FP720 "writes rounds"
  if (threadIdx.x < rounds) out[threadIdx.x] = 1;
}
