// Each warp has a record and an mbarrier behind its row, where the weights of the record go.
__global__ void send(const float* weights, int row_bytes, int record_bytes) {
  extern __shared__ alignas(128) uint8_t bytes[];
  auto mine = bytes + threadIdx.x / 32 * 1024;
  auto bar = reinterpret_cast<uint64_t*>(mine + row_bytes);
  if (threadIdx.x % 32 == 0) {
    mbarrier_init(bar, 1);
    cutlass::arch::fence_barrier_init();
  }
  __syncwarp();
  *reinterpret_cast<float*>(mine + row_bytes) = weights[threadIdx.x];  // want FP116 "over an mbarrier"
}

// Two roles of one kernel, each with a buffer called the same.
__global__ void roles(const float* weights, int row_bytes, int record_bytes) {
  extern __shared__ alignas(128) uint8_t bytes[];
  if (threadIdx.x < 32) {
    auto mine = bytes + blockIdx.x % 2;
    auto bar = reinterpret_cast<uint64_t*>(mine + row_bytes);
    mbarrier_init(bar, 32);
    cutlass::arch::fence_barrier_init();
    *reinterpret_cast<float*>(mine + record_bytes) = weights[0];
  }
  {
    auto mine = bytes + 4096;
    *reinterpret_cast<float*>(mine + row_bytes) = weights[1];
  }
}

// The memory is data again once the mbarrier is none any more.
__global__ void afterwards(const float* weights, int row_bytes) {
  extern __shared__ alignas(128) uint8_t bytes[];
  auto bar = reinterpret_cast<uint64_t*>(bytes + row_bytes);
  if (threadIdx.x == 0) {
    mbarrier_init(bar, 1);
    cutlass::arch::fence_barrier_init();
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"((uint32_t)__cvta_generic_to_shared(bar)));
    *reinterpret_cast<float*>(bytes + row_bytes) = weights[0];
  }
}
