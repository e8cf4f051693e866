// Waits for groups of copies that wait for none the first time, in kernels that data lead through and that are not decided for it.
#include <cuda_runtime.h>

__device__ void copy(float4* to, const float4* from) {
  unsigned at = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from));  // want FP720 "has a copy that writes"
}

__device__ void commit() { asm volatile("cp.async.commit_group;"); }

__device__ float sum(const float4* row, float total) {
  for (int i = 0; i < 4; ++i) total += row[(threadIdx.x + i) % 128].x;
  return total;
}

__global__ void awaited(const float4* in, const int* which, float* out) {
  __shared__ float4 tile[128];
  float total = 0;
  for (int r = 0; r < which[blockIdx.x]; ++r) {
    copy(&tile[threadIdx.x], in + r * 128 + threadIdx.x);
    commit();
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    total = sum(tile, total);
    __syncthreads();
  }
  out[threadIdx.x] = total;
}

// Two stages: a group is in flight, and the one before it is complete.
__global__ void two(const float4* in, const int* which, float* out) {
  __shared__ float4 tile[2][128];
  float total = 0;
  copy(&tile[0][threadIdx.x], in + threadIdx.x);
  commit();
  for (int r = 1; r < which[blockIdx.x]; ++r) {
    copy(&tile[r % 2][threadIdx.x], in + r * 128 + threadIdx.x);
    commit();
    asm volatile("cp.async.wait_group 1;");
    __syncthreads();
    total = sum(tile[(r - 1) % 2], total);
    __syncthreads();
  }
  out[threadIdx.x] = total;
}

__global__ void two_late(const float4* in, const int* which, float* out) {
  __shared__ float4 tile[2][128];
  float total = 0;
  copy(&tile[0][threadIdx.x], in + threadIdx.x);
  commit();
  for (int r = 1; r < which[blockIdx.x]; ++r) {
    copy(&tile[r % 2][threadIdx.x], in + r * 128 + threadIdx.x);
    commit();
    asm volatile("cp.async.wait_group 2;");  // want FP721 "2 committed so far"
    __syncthreads();
    total = sum(tile[(r - 1) % 2], total);
    __syncthreads();
  }
  out[threadIdx.x] = total;
}

// The first rounds only fill stages.
__global__ void fills_first(const float4* in, const int* which, float* out) {
  __shared__ float4 tile[3][128];
  float total = 0;
  for (int r = 0; r < which[blockIdx.x] + 2; ++r) {
    if (r < which[blockIdx.x]) copy(&tile[r % 3][threadIdx.x], in + r * 128 + threadIdx.x);
    commit();
    asm volatile("cp.async.wait_group 2;");
    __syncthreads();
    if (r >= 2) total = sum(tile[(r - 2) % 3], total);
    __syncthreads();
  }
  out[threadIdx.x] = total;
}

// What is read has been stored by the threads themselves.
__global__ void other(const float4* in, const int* which, float* out) {
  __shared__ float4 tile[128], own[128];
  float total = 0;
  own[threadIdx.x] = in[threadIdx.x];
  for (int r = 0; r < which[blockIdx.x]; ++r) {
    copy(&tile[threadIdx.x], in + r * 128 + threadIdx.x);
    commit();
    asm volatile("cp.async.wait_group 1;");
    __syncthreads();
    total = sum(own, total);
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    total = sum(tile, total);
    __syncthreads();
  }
  out[threadIdx.x] = total;
}
