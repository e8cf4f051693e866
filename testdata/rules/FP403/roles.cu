// Four warps add up; the others have left the branch and meet no barrier.
__global__ void half(float* sums) {
  __shared__ float part[128];
  int warp = threadIdx.x / 32;
  if (warp >= 4 && cute::elect_one_sync()) {
    copy_in(sums);
  } else if (warp < 4) {
    part[threadIdx.x] = sums[threadIdx.x];  // want FP720 "reads sums"
    __syncthreads();  // want FP403 "some threads of the CTA only"
    if (warp == 0) sums[threadIdx.x] = part[threadIdx.x + 32];
  }
}

__device__ void combine(float* meta, int per_row) {
  if (per_row > 1 && threadIdx.y % per_row == 0) {
    meta[threadIdx.x] = 1.0f;
    __syncthreads();
  }
}

__device__ void combine_both(float* meta, int per_row) {
  if (per_row > 1 && threadIdx.y % per_row == 0) {
    meta[threadIdx.x] = 1.0f;
    __syncthreads();
  } else if (per_row > 1) {
    __syncthreads();
  }
}

__global__ void leaves_first(float* sums) {
  int warp = threadIdx.x / 32;
  if (warp >= 4) {
    copy_in(sums);
    return;
  }
  __syncthreads();
}
