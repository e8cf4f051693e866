// Threads that have returned are waited for no more, and the others go round as often as one another.
__global__ void ended_before(float* out, int rounds) {
  __shared__ float part[128];
  if (threadIdx.x >= 100) return;
  for (int k = 0; k < rounds; k++) {
    part[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] += part[99 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void ended_in_between(float* out, int rounds) {
  __shared__ float part[128];
  for (int k = 0; k < rounds; k++) {
    part[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= 100) return;
    out[threadIdx.x] += part[99 - threadIdx.x];
    __syncthreads();
  }
}

// How often a thread goes round hangs on its number.
__global__ void unequal(float* out, int rounds) {
  __shared__ float part[128];
  if (threadIdx.x >= 100) return;
  for (int k = threadIdx.x % 3; k < 7; k++) {
    part[threadIdx.x] = out[threadIdx.x];
    __syncthreads();  // want FP403 "less often than by others"
    out[threadIdx.x] += part[threadIdx.x];
  }
}

void launch(float* out, int rounds) {
  ended_before<<<1, 128>>>(out, rounds);
  ended_in_between<<<1, 128>>>(out, rounds);
  unequal<<<1, 128>>>(out, rounds);
}
