// Nobody says how many threads there are, and whatever it is, a half of them comes no more.
__global__ void halved_block(const float* in, float* out) {
  extern __shared__ float part[];
  part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned width = blockDim.x / 2; width > 0; width >>= 1) {
    if (threadIdx.x < width) {
      part[threadIdx.x] += part[threadIdx.x + width];
      __syncthreads();  // want FP403 "by part of a warp only"
    }
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

__global__ void half_of_the_rows(const float* in, float* out) {
  __shared__ float part[1024];
  int mine = threadIdx.x * blockDim.y + threadIdx.y;
  part[mine] = in[mine];
  __syncthreads();
  for (unsigned i = blockDim.y / 2; i > 0; i >>= 1) {
    if (threadIdx.y < i) {
      part[mine] += part[mine + i];
      __syncthreads();  // want FP403 "some threads of the CTA only"
    }
  }
  if (threadIdx.y == 0) out[threadIdx.x] = part[mine];
}

__global__ void first_half(const float* in, float* out) {
  extern __shared__ float part[];
  if (threadIdx.x < blockDim.x / 2) {
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();  // want FP403 "some threads of the CTA only"
    out[threadIdx.x] = part[threadIdx.x ^ 1];
  }
}

// With one warp that is everybody, and with whole warps, too.
__global__ void whole_warps(const float* in, float* out) {
  extern __shared__ float part[];
  if (threadIdx.x < blockDim.x / 32 * 32) {
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = part[threadIdx.x ^ 1];
  }
}
