__device__ int load_acquire(const int* p) {
  int v;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

__device__ void add_release(int* p) {
  asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(p) : "memory");
}

__global__ void no_barrier(float* data, int* ready) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 7.0f;
  if (threadIdx.x == 0) add_release(ready);  // want FP305 "without a barrier"
  while (load_acquire(ready) < gridDim.x) {
  }
}

__global__ void with_barrier(float* data, int* ready) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 7.0f;
  __syncthreads();
  if (threadIdx.x == 0) add_release(ready);
  while (load_acquire(ready) < gridDim.x) {
  }
}

__global__ void named_barrier(float* data, int* ready) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 7.0f;
  asm volatile("bar.sync 1, 128;" ::: "memory");
  if (threadIdx.x == 0) add_release(ready);
  while (load_acquire(ready) < gridDim.x) {
  }
}
