// All CTAs of a grid meet between two steps, by a counter that each adds to.
// expect: holds
__device__ void meet(unsigned* arrived, unsigned all) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (*(volatile unsigned*)arrived < all) {
    }
    __threadfence();
  }
  __syncthreads();
}

__global__ void smooth(float* from, float* to, unsigned* arrived) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  from[i] = i * 0.5f;
  meet(arrived, gridDim.x);
  to[i] = from[i] + from[(i + 128) % (gridDim.x * 128)];
}

void run(float* from, float* to, unsigned* arrived) { smooth<<<32, 128>>>(from, to, arrived); }
