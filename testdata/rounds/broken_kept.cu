// As kept.cu, where the second half is that of the next row, and each thread sums up its own.
// expect: violated race
// small: -
__global__ void turned(const float4* in, unsigned rows, unsigned orders, unsigned quads, const unsigned* from, float* out) {
  extern __shared__ float slab[32][32];
  float4* loaded = reinterpret_cast<float4*>(&slab[threadIdx.x]);
  float* mine = reinterpret_cast<float*>(&slab[threadIdx.x]);
  float* second = &slab[(threadIdx.x + 1) % 32][16];
  for (unsigned r = threadIdx.x; r < rows; r += 32) {
    for (unsigned q = 0; q < quads; q++) loaded[q] = in[r * quads + q];
    for (unsigned p = 0; p < orders; p++) {
      for (unsigned k = 0; k < 4 * quads; k++) second[k] = mine[from[p * 16 + k]];
      float sum = 0;
      for (unsigned k = 0; k < 4 * quads; k++) sum += k * mine[16 + k];
      atomicAdd(&out[p], sum);
    }
  }
}
void run(const float4* in, unsigned rows, unsigned orders, unsigned quads, const unsigned* from, float* out) { turned<<<8, 32, 4096>>>(in, rows, orders, quads, from, out); }
