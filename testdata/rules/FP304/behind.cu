// Each CTA takes a number, waits for the one before, and passes on what there is so far. What it passes on stands ahead of the flag in the first kernel
// and behind it in the second; in the third the CTA writes what nobody waits for by that index.

__device__ int taken[3];

__global__ void passed(const int* in, int* reached, int* sofar) {
  __shared__ int number;
  if (threadIdx.x == 0) number = atomicAdd(&taken[0], 1);
  __syncthreads();
  const int mine = number;
  if (threadIdx.x == 0) {
    int sum = in[mine];
    if (mine > 0) {
      while (atomicAdd(&reached[mine - 1], 0) == 0) {
      }
      __threadfence();
      sum += sofar[mine - 1];
    }
    sofar[mine] = sum;
    __threadfence();
    atomicExch(&reached[mine], 1);
  }
}

__global__ void late(const int* in, int* reached, int* sofar) {
  __shared__ int number;
  if (threadIdx.x == 0) number = atomicAdd(&taken[1], 1);
  __syncthreads();
  const int mine = number;
  if (threadIdx.x == 0) {
    int sum = in[mine];
    if (mine > 0) {
      while (atomicAdd(&reached[mine - 1], 0) == 0) {
      }
      __threadfence();
      sum += sofar[mine - 1];
    }
    __threadfence();
    atomicExch(&reached[mine], 1);
    sofar[mine] = sum;  // want FP304 "written behind the flag"
  }
}

__global__ void beside(const int* in, int* reached, int* sofar, int* last) {
  __shared__ int number;
  if (threadIdx.x == 0) number = atomicAdd(&taken[2], 1);
  __syncthreads();
  const int mine = number;
  if (threadIdx.x == 0) {
    int sum = in[mine];
    if (mine > 0) {
      while (atomicAdd(&reached[mine - 1], 0) == 0) {
      }
      __threadfence();
      sum += sofar[mine - 1];
    }
    sofar[mine] = sum;
    __threadfence();
    atomicExch(&reached[mine], 1);
    last[mine] = sum;
  }
}
