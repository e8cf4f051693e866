using Barrier = cutlass::arch::ClusterTransactionBarrier;

__global__ void no_fence() {
  __shared__ Barrier full;
  if (threadIdx.x == 0) full.init(1);  // want FP108 "without a fence"
  __syncthreads();
  if (threadIdx.x == 0) full.arrive_and_expect_tx(512);
  full.wait(0);
}

__global__ void proxy_fence() {
  __shared__ Barrier full;
  if (threadIdx.x == 0) {
    full.init(1);
    cutlass::arch::fence_view_async_shared();
  }
  __syncthreads();
  if (threadIdx.x == 0) full.arrive_and_expect_tx(512);
  full.wait(0);
}

__device__ void publish_barrier_state() {}

__global__ void hidden_nothing() {
  __shared__ Barrier full;
  if (threadIdx.x == 0) full.init(1);  // want FP108 "without a fence"
  publish_barrier_state();
  __syncthreads();
  if (threadIdx.x == 0) full.arrive_and_expect_tx(512);
  full.wait(0);
}

__global__ void hidden_in_a_call() {
  __shared__ Barrier full;
  if (threadIdx.x == 0) full.init(1);
  publish_barrier_init();
  __syncthreads();
  if (threadIdx.x == 0) full.arrive_and_expect_tx(512);
  full.wait(0);
}
