// CTAs that differ in y alone add to one tile in turn; the lock is given back when all threads have come there.
// expect: holds
// small: -

__device__ void take(int* lock) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
  }
  __syncthreads();
}

__device__ void give(int* lock) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(lock, 0);
}

__global__ void __launch_bounds__(64) adds(const float* in, float* tile, int* locks, int layers) {
  float sum = in[(blockIdx.x * layers + blockIdx.y) * 64 + threadIdx.x];
  float* mine = tile + blockIdx.x * 64;
  take(&locks[blockIdx.x]);
  __stcg(&mine[threadIdx.x], __ldcg(&mine[threadIdx.x]) + sum);
  give(&locks[blockIdx.x]);
}

void run(const float* in, float* tile, int* locks, int tiles, int layers) { adds<<<dim3(tiles, layers), 64>>>(in, tile, locks, layers); }
