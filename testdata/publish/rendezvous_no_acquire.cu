// The middle one of three meetings reads its flags with volatile loads and no fence: what the peers summed may be old.
// expect: stale
struct Mail {
  unsigned first[32][4];
  unsigned second[32][4];
};

struct Mails {
  volatile Mail* of[4];
};

template <int gpus, bool last = false>
__device__ void meet(const Mails& all, volatile Mail* mine, int rank) {
  __syncthreads();
  if constexpr (!last) __threadfence_system();
  if (threadIdx.x < gpus) {
    mine->first[blockIdx.x][threadIdx.x] = 0;
    all.of[threadIdx.x]->second[blockIdx.x][rank] = 1;
    while (!mine->second[blockIdx.x][threadIdx.x]) {
    }
  }
  if constexpr (!last) __syncthreads();
}

template <int gpus>
__global__ void sum_then_gather(float** inputs, float** sums, Mails all, volatile Mail* mine, float* out, int rank, int part) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  const int step = gridDim.x * blockDim.x;
  float* halves[gpus];
  for (int i = 0; i < gpus; ++i) {
    halves[i] = sums[(rank + i) % gpus];
  }
  float* own = halves[0];
  for (int i = first; i < part; i += step) {
    own[i] = inputs[0][i] + inputs[1][i];
  }
  meet<gpus>(all, mine, rank);  // want FP303
  for (int i = first; i < part; i += step) {
    for (int g = 0; g < gpus; ++g) {
      if (g < gpus - 1 || i < part - 1) {
        out[g * part + i] = halves[g][i];
      }
    }
  }
  meet<gpus, true>(all, mine, rank);
}
