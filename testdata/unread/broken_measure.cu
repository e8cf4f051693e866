// A class that the host chooses measures what it is handed, elements of a tile in shared memory: the tile changes while others still measure.
// expect: inconclusive
// small: -

template <int SIDE, class Measure>
__global__ void nearest(const float* points, const float* marks, float* out, int dims) {
  __shared__ float mine[SIDE * SIDE];
  __shared__ float theirs[SIDE * SIDE];
  Measure so_far;
  for (int d = 0; d < dims; d += SIDE) {
    mine[threadIdx.y * SIDE + threadIdx.x] = points[threadIdx.y * dims + d + threadIdx.x];
    theirs[threadIdx.x * SIDE + threadIdx.y] = marks[threadIdx.y * dims + d + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < SIDE; k++) so_far.add(mine[threadIdx.y * SIDE + k], theirs[k * SIDE + threadIdx.x]);
  }
  out[threadIdx.y * SIDE + threadIdx.x] = (float)so_far;
}
