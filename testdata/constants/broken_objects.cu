// Members of constant objects of a namespace say how large an array is, and that threads do not meet.
// expect: violated race
// small: -

struct Tile {
  int rows, columns;
};

constexpr uint3 warps = {4, 1, 2};
constexpr Tile tile = {2, 128};

__global__ void mirrored(const float* in, float* out) {
  static_assert(warps.z == 2);
  __shared__ float row[warps.x * 32 * tile.rows];
  row[threadIdx.x] = in[threadIdx.x];
  if (warps.y == 2) __syncthreads();
  if (tile.columns == 128) out[threadIdx.x] = row[255 - threadIdx.x];  // want FP720
}

void launch(const float* in, float* out) { mirrored<<<1, warps.x * 32 * tile.rows>>>(in, out); }
