__global__ void narrow(int* data, int* ready) {
  if (blockIdx.x == 0) {
    data[0] = 1;
    __threadfence_block();  // want FP302 "has scope .cta.; expected .gpu."
    atomicAdd(ready, 1);
  } else {
    while (atomicAdd(ready, 0) == 0) {
    }
    __threadfence();
  }
}

__global__ void wide(int* data, int* ready) {
  if (blockIdx.x == 0) {
    data[0] = 1;
    __threadfence_block();
    __threadfence();
    atomicAdd(ready, 1);
  } else {
    while (atomicAdd(ready, 0) == 0) {
    }
    __threadfence();
  }
}

// A flag of the CTA's own shared memory needs no more than cta scope.
__global__ void inside(int* data) {
  __shared__ int local;
  if (threadIdx.x == 0) {
    data[0] = 1;
    __threadfence_block();
    atomicAdd(&local, 1);
  } else {
    while (atomicAdd(&local, 0) == 0) {
    }
    __threadfence_block();
  }
}
