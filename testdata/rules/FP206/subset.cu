// As many threads issue copies as there are parts; all of them write.
template <int kParts, int kPart>
__global__ void parts(float* out, int tiles) {
  extern __shared__ alignas(128) uint8_t bytes[];
  auto* stage = reinterpret_cast<float*>(bytes);
  auto* table = reinterpret_cast<float*>(bytes + kParts * kPart * sizeof(float));
  int t = 0;
  while (t < tiles) {
    table[threadIdx.x] = 1.0f;
    cutlass::arch::NamedBarrier(128).sync();
    if (threadIdx.x < kParts) cute::tma_store_wait<0>();  // want FP206 "stage"
    float* p = nullptr;
    p = stage + threadIdx.x * 4;
    Store128::copy(t, p);
    cute::tma_store_fence();
    cutlass::arch::NamedBarrier(128).sync();
    if (threadIdx.x < kParts) {
      auto from = stage + threadIdx.x * kPart;
      cute::SM90_BULK_COPY_S2G::copy(from, out + t * kParts * kPart + threadIdx.x * kPart, kPart * 4);
      cute::tma_store_arrive();
    }
    ++t;
  }
}

// What is written behind the wait is another part of the same array.
template <int kParts, int kPart>
__global__ void other_part(float* out, int tiles) {
  extern __shared__ alignas(128) uint8_t bytes[];
  auto* stage = reinterpret_cast<float*>(bytes);
  auto* table = reinterpret_cast<float*>(bytes + kParts * kPart * sizeof(float));
  for (int t = 0; t < tiles; ++t) {
    if (threadIdx.x < kParts) cute::tma_store_wait<0>();
    table[threadIdx.x] = 1.0f;
    cutlass::arch::NamedBarrier(128).sync();
    stage[threadIdx.x] = table[threadIdx.x ^ 1];
    cute::tma_store_fence();
    cutlass::arch::NamedBarrier(128).sync();
    if (threadIdx.x < kParts) {
      cute::SM90_BULK_COPY_S2G::copy(stage + threadIdx.x * kPart, out + t * kParts * kPart, kPart * 4);
      cute::tma_store_arrive();
    }
  }
}

// Each warp has its own part and issues its own copy: the lanes of a warp meet at the warp barrier.
__global__ void by_warps(float* out, int tiles) {
  __shared__ alignas(128) float stage[4][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int t = 0; t < tiles; ++t) {
    if (lane == 0) cute::tma_store_wait<0>();
    __syncwarp();
    stage[warp][lane] = float(t);
    cute::tma_store_fence();
    __syncwarp();
    if (lane == 0) {
      cute::SM90_BULK_COPY_S2G::copy(&stage[warp][0], out + t * 128 + warp * 32, 128);
      cute::tma_store_arrive();
    }
  }
}

// Only one warp writes, and one of its lanes issues.
__global__ void one_warp(float* out, int tiles) {
  __shared__ alignas(128) float stage[32];
  if (threadIdx.x / 32 == 1) {
    for (int t = 0; t < tiles; ++t) {
      if (cute::elect_one_sync()) cute::tma_store_wait<0>();
      stage[threadIdx.x % 32] = float(t);
      cute::tma_store_fence();
      __syncwarp();
      if (cute::elect_one_sync()) {
        cute::SM90_BULK_COPY_S2G::copy(stage, out + t * 32, 128);
        cute::tma_store_arrive();
      }
    }
  }
}
