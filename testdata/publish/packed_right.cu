// Sum and flag of a tile are one word: who sees the flag has the sum.
// expect: silent
__global__ void look_back(volatile unsigned long long* state, float* out) {
  const int tile = blockIdx.x;
  if (threadIdx.x == 0) {
    unsigned long long mine = (1ull << 32) | static_cast<unsigned>(tile);
    state[tile] = mine;
    unsigned before = 0;
    for (int t = tile - 1; t >= 0; --t) {
      unsigned long long word;
      do {
        word = state[t];
      } while ((word >> 32) == 0);
      before += static_cast<unsigned>(word);
    }
    out[tile] = before;
  }
}
