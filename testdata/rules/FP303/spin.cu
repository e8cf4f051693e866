__global__ void volatile_spin(volatile int* ready, const float* data, float* out) {
  while (ready[blockIdx.x] == 0) {  // want FP303 "reads with plain or volatile order"
  }
  float x = data[threadIdx.x];
  out[threadIdx.x] = x;
}

__global__ void fence_after(volatile int* ready, const float* data, float* out) {
  while (ready[blockIdx.x] == 0) {
  }
  __threadfence();
  float x = data[threadIdx.x];
  out[threadIdx.x] = x;
}

__global__ void fence_inside(volatile int* ready, const float* data, float* out) {
  while (ready[blockIdx.x] == 0) {
    __threadfence();
  }
  float x = data[threadIdx.x];
  out[threadIdx.x] = x;
}

__device__ int load_acquire(const int* p) {
  int v;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

__global__ void acquire_spin(const int* ready, const float* data, float* out) {
  while (load_acquire(ready) == 0) {
  }
  float x = data[threadIdx.x];
  out[threadIdx.x] = x;
}

// A search is no spin.
__global__ void search(const int* counter, const float* data, float* out, int n) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (counter[mid] < 7) lo = mid + 1;
    else hi = mid;
  }
  float x = data[lo];
  out[threadIdx.x] = x;
}
