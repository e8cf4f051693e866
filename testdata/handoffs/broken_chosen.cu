// Letters choose where all threads add; that the others of the CTA have is not waited for before the ticket is drawn.
// expect: violated order
struct Counts {
  unsigned* of;
  unsigned* drawn;
  unsigned* most;
};

__global__ void mode_of(const unsigned char* letters, Counts counts, int n) {
  __shared__ unsigned ticket;
  const int step = gridDim.x * blockDim.x;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) atomicAdd(&counts.of[letters[k]], 1u);
  __threadfence();
  if (threadIdx.x == 0) ticket = atomicAdd(counts.drawn, 1u);  // want FP305
  __syncthreads();
  if (ticket + 1 != gridDim.x) return;
  __threadfence();
  atomicMax(counts.most, __ldcg(&counts.of[threadIdx.x]));
}

void run(const unsigned char* letters, Counts counts, int n) { mode_of<<<80, 256>>>(letters, counts, n); }
