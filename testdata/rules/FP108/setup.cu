using Barrier = cutlass::arch::ClusterTransactionBarrier;

struct Shared {
  Barrier filled[4];
  Barrier drained[4];
  Barrier once;
};

struct Queue {
  // A set-up function that picks the initialising threads and leaves the fence to nobody.
  static __device__ void open(Shared& shared, int readers) {
    bool first_warp = cutlass::canonical_warp_idx_sync() == 0;
    if (first_warp) {
      cutlass::arch::detail::initialize_barrier_array_pair_aligned<Barrier, Barrier, 4>(shared.filled, shared.drained, 1, readers);  // want FP108 "shared.filled"
    }
  }
};

struct FencedQueue {
  static __device__ void open_fenced(Shared& shared, int readers) {
    bool first_warp = cutlass::canonical_warp_idx_sync() == 0;
    if (first_warp) {
      cutlass::arch::detail::initialize_barrier_array_pair_aligned<Barrier, Barrier, 4>(shared.filled, shared.drained, 1, readers);
    }
    cutlass::arch::fence_barrier_init();
  }
};

struct CallerFences {
  static __device__ void open_quietly(Shared& shared) {
    if (threadIdx.x == 0) shared.once.init(1);
  }
  static __device__ void start(Shared& shared) {
    open_quietly(shared);
    cutlass::arch::fence_barrier_init();
  }
};

// The helper initialises what it is handed: its caller chooses the fence.
__device__ void init_each(Barrier* barriers) {
  if (cute::elect_one_sync()) {
    for (int i = 0; i < 4; ++i) barriers[i].init(1);
  }
}

// The fence at the end is for something else; the copy has started long before.
__global__ void late_fence(Shared* unused) {
  __shared__ Shared shared;
  if (threadIdx.x == 0) {
    shared.once.init(1);  // want FP108 "shared.once"
    shared.once.arrive_and_expect_tx(2048);
    start_copy(shared);
  }
  __syncthreads();
  shared.once.wait(0);
  cutlass::arch::fence_view_async_shared();
}

__global__ void expect_before_fence(Shared* unused) {
  __shared__ Shared shared;
  if (threadIdx.x == 0) {
    shared.once.init(1);
    shared.once.arrive_and_expect_tx(2048);
    cutlass::arch::fence_barrier_init();
    start_copy(shared);
  }
  __syncthreads();
  shared.once.wait(0);
}
