template <int kCtas>
__global__ void by_condition(float* out) {
  __shared__ uint32_t base;
  using Allocator = cute::conditional_t<kCtas == 1, cute::TMEM::Allocator1Sm, cute::TMEM::Allocator2Sm>;
  if (threadIdx.x / 32 == 2) {
    Allocator().allocate(256, &base);  // want FP601 "before the two have met"
  }
  kCtas > 1 ? cute::cluster_sync() : __syncthreads();
  multiply(base, out);
}

template <int kCtas>
__global__ void met_where_it_matters(float* out) {
  __shared__ uint32_t base;
  using Allocator = cute::conditional_t<kCtas == 1, cute::TMEM::Allocator1Sm, cute::TMEM::Allocator2Sm>;
  if (kCtas > 1) cute::cluster_sync();
  if (threadIdx.x / 32 == 2) {
    Allocator().allocate(256, &base);
  }
  kCtas > 1 ? cute::cluster_sync() : __syncthreads();
  multiply(base, out);
}

__global__ void alone(float* out) {
  __shared__ uint32_t base;
  cute::TMEM::Allocator1Sm allocator{};
  if (threadIdx.x / 32 == 0) {
    allocator.allocate(512, &base);
  }
  __syncthreads();
  multiply(base, out);
}

// The pipelines of CUTLASS meet the cluster when they are set up.
__global__ void met_by_pipelines(float* out) {
  __shared__ uint32_t base;
  cute::TMEM::Allocator2Sm allocator{};
  pipeline_init_arrive_relaxed(2);
  pipeline_init_wait(2);
  if (threadIdx.x / 32 == 0) {
    allocator.allocate(512, &base);
  }
  __syncthreads();
  multiply(base, out);
}

// Who calls this may have met the cluster.
__device__ void part(float* out) {
  __shared__ uint32_t base;
  cute::TMEM::Allocator2Sm allocator{};
  allocator.allocate(512, &base);
  __syncthreads();
  multiply(base, out);
}
