// A barrier in PTX that a predicate guards is one in a branch.

__global__ void by_data(const int* keys, int* out) {
  const int key = keys[blockIdx.x * blockDim.x + threadIdx.x];
  asm volatile("{ .reg .pred big; setp.gt.s32 big, %0, 7; @big bar.sync 0; }" ::"r"(key) : "memory");  // want FP403 "a check of data of their own"
  out[blockIdx.x * blockDim.x + threadIdx.x] = key;
}

__global__ void all_alike(const int* keys, int* out, int n) {
  const int key = keys[blockIdx.x * blockDim.x + threadIdx.x];
  asm volatile("{ .reg .pred some; setp.gt.s32 some, %0, 0; @some bar.sync 0; }" ::"r"(n) : "memory");
  out[blockIdx.x * blockDim.x + threadIdx.x] = key;
}

void run(const int* keys, int* out, int n) {
  by_data<<<4, 128>>>(keys, out);
  all_alike<<<4, 128>>>(keys, out, n);
}
