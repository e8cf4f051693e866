using Barrier = cutlass::arch::ClusterBarrier;

__global__ void one_warp(int n) {
  __shared__ Barrier done;
  if (threadIdx.x == 0) {
    done.init(1);
    cutlass::arch::fence_barrier_init();
  }
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x / 32 == 2) done.arrive();  // want FP106 "32 arrivals reach .done. in a phase, but it is initialised for 1"
    done.wait(i & 1);
  }
}

__global__ void elected(int n) {
  __shared__ Barrier done;
  if (threadIdx.x == 0) {
    done.init(1);
    cutlass::arch::fence_barrier_init();
  }
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x / 32 == 2 && cute::elect_one_sync()) done.arrive();
    done.wait(i & 1);
  }
}

template <int kArrivals>
__global__ void by_template(int n) {
  __shared__ Barrier done;
  if (threadIdx.x == 0) {
    done.init(kArrivals);
    cutlass::arch::fence_barrier_init();
  }
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    done.arrive();
    done.wait(i & 1);
  }
}

__global__ void several_arrivals_a_phase(int n) {
  __shared__ Barrier done;
  if (threadIdx.x == 0) {
    done.init(4);
    cutlass::arch::fence_barrier_init();
  }
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    for (int part = 0; part < 4; ++part) {
      if (threadIdx.x == 0) done.arrive();
    }
    done.wait(i & 1);
  }
}
