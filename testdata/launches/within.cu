// expect: holds open=race-grid
// small: -
// A macro that a method uses launches the kernel: constants of the class say how.
template <int WORDS> __global__ void mirrored(const int* in, int* out) {
  __shared__ int s[WORDS];
  s[threadIdx.x] = in[blockIdx.x * WORDS + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * WORDS + threadIdx.x] = s[WORDS - 1 - threadIdx.x];
}

class Mirror {
  static const int THREADS = 96;
  static const int BLOCKS = 4;

 public:
  void run(const int* in, int* out, bool twice) {
#define MIRROR(blocks)                               \
  do {                                               \
    mirrored<THREADS><<<blocks, THREADS>>>(in, out); \
  } while (0)
    if (twice) {
      MIRROR(2 * BLOCKS);
    } else {
      MIRROR(BLOCKS);
    }
#undef MIRROR
  }
};
