// Flags of peers are set by other GPUs: which CTAs of this grid run is not the question.
__device__ unsigned look(const unsigned* at) {
  unsigned value;
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
  return value;
}

__device__ void put(unsigned* at, unsigned value) {
  asm volatile("st.volatile.global.u32 [%1], %0;" ::"r"(value), "l"(at));
}

template <bool first>
__device__ void meet(unsigned** peer_flags, unsigned round, int rank, int gpus) {
  if constexpr (!first) __syncthreads();
  if (threadIdx.x < gpus) {
    unsigned* out = peer_flags[threadIdx.x] + blockIdx.x * gpus + rank;
    unsigned* in = peer_flags[rank] + blockIdx.x * gpus + threadIdx.x;
    put(out, round);
    while (look(in) != round) {
    }
  }
  __syncthreads();
}

__global__ void sum(unsigned** peer_flags, const float* x, float* out, unsigned round, int rank, int gpus) {
  meet<true>(peer_flags, round, rank, gpus);
  out[threadIdx.x] = x[threadIdx.x];
  meet<false>(peer_flags, round, rank, gpus);
}

void launch(unsigned** peer_flags, const float* x, float* out, unsigned round, int rank, int gpus, int blocks) {
  sum<<<blocks, 256>>>(peer_flags, x, out, round, rank, gpus);
}
