// Constant objects of two namespaces have one name: threads of the narrow one do not meet.
// expect: violated race
// small: -

struct Tile {
  int rows, columns;
};

namespace narrow {
constexpr Tile tile = {1, 64};
}

namespace wide {
constexpr Tile tile = {2, 128};
}

namespace narrow {
__global__ void mirrored(const float* in, float* out) {
  __shared__ float row[256];
  row[threadIdx.x] = in[threadIdx.x];
  if (tile.rows == 2) __syncthreads();
  out[threadIdx.x] = row[255 - threadIdx.x];  // want FP720
}
}

void launch(const float* in, float* out) { narrow::mirrored<<<1, 256>>>(in, out); }
