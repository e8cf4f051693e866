__device__ int load_acquire(const int* p) {
  int v;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

__global__ void plain(float* data, int* ready) {
  if (blockIdx.x == 0) {
    data[0] = 7.0f;
    *ready = 1;  // want FP304 "written with plain order"
  } else {
    while (load_acquire(ready) == 0) {
    }
  }
}

__global__ void fenced(float* data, int* ready) {
  if (blockIdx.x == 0) {
    data[0] = 7.0f;
    __threadfence();
    *ready = 1;
  } else {
    while (load_acquire(ready) == 0) {
    }
  }
}

__global__ void reset(float* data, int* ready) {
  while (load_acquire(ready) == 0) {
  }
  data[0] = 7.0f;
  *ready = 0;
}
