// The CTA does not wait for its threads to write before one says that it is there.
// expect: violated order
__device__ void meet(unsigned* arrived, unsigned all) {
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
  meet(arrived, gridDim.x);  // want FP305
  to[i] = from[i] + from[(i + 128) % (gridDim.x * 128)];
}

void run(float* from, float* to, unsigned* arrived) { smooth<<<32, 128>>>(from, to, arrived); }
