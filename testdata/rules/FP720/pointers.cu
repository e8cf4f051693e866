// Each thread has a word of its own, by a pointer made from another pointer.
__global__ void own_words(const float* in, float* out, int n) {
  __shared__ float space[512];
  float* const first = space + threadIdx.x;
  float* const second = first + 256;
  for (int i = threadIdx.x; i < n; i += 256) {
    *first = in[i];
    *second = in[i + n];
    out[i] = *first + *second;
  }
  __syncthreads();
}

// Two halves in turn: what is read lies in the one, what is written in the other.
__global__ void to_and_fro(float* data) {
  __shared__ float space[2 * 256 + 256];
  float* mine = space + threadIdx.y * 32 + threadIdx.x;
  int half = 0;
  float x = data[threadIdx.x];
  *mine = x;
  __syncthreads();
  for (int off = 1; off < 8; off *= 2) {
    if (threadIdx.y >= off) x += mine[(half - off) * 32];
    half = 8 - half;
    mine[half * 32] = x;
    __syncthreads();
  }
  data[threadIdx.x] = x;
}
