// A constructor exchanges what a constant object is given: threads do not meet.
// expect: violated race
// small: -

struct Tile {
  int rows, columns;
  constexpr Tile(int r, int c) : rows(c), columns(r) {}
};

constexpr Tile tile = {2, 128};

__global__ void mirrored(const float* in, float* out) {
  __shared__ float row[256];
  row[threadIdx.x] = in[threadIdx.x];
  if (tile.rows == 2) __syncthreads();
  out[threadIdx.x] = row[255 - threadIdx.x];  // want FP720
}

void launch(const float* in, float* out) { mirrored<<<1, 256>>>(in, out); }
