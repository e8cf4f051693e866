// Lanes of a warp hand the number of a tile to each other by a volatile word, which is no wait for anybody else.
// expect: inconclusive
// small: -

__global__ void tiles(int* next, int total, float* data) {
  __shared__ volatile int picked[4];
  __shared__ volatile float row[4][32];
  int warp = threadIdx.y, lane = threadIdx.x;
  for (;;) {
    if (lane == 0) picked[warp] = atomicAdd(next, 1);
    __syncwarp();
    int tile = picked[warp];
    if (tile >= total) break;
    row[warp][lane] = data[tile * 32 + lane];
    __syncwarp();
    float v = row[warp][31 - lane];
    __syncwarp();
    data[tile * 32 + lane] = v;
  }
}

void launch(int* next, int total, float* data) { tiles<<<64, dim3(32, 4)>>>(next, total, data); }
