// One lane of each warp takes a lock of its CTA's and adds to a sum, which nothing else orders: what the lock excludes, its fences order.
// expect: holds
// small: -

__global__ void add_up(const int* in, int* out) {
  __shared__ int taken, sum;
  if (threadIdx.x == 0) {
    taken = 0;
    sum = 0;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    const int mine = in[threadIdx.x];
    while (atomicCAS(&taken, 0, 1) != 0) {
    }
    __threadfence_block();
    sum += mine;
    __threadfence_block();
    atomicExch(&taken, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

void launch(const int* in, int* out) { add_up<<<1, 256>>>(in, out); }
