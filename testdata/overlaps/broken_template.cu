// A tile whose class is a template is written and read the other way round with no barrier between. Its members are not
// followed, so nothing is said to hold.
// expect: violated race
// small: -
template <class T>
struct Tile {
  T cell[128];
};

__global__ void turn(const float* in, float* out) {
  __shared__ Tile<float> tile;
  const int t = threadIdx.x;
  tile.cell[t] = in[t];
  out[t] = tile.cell[127 - t];
}

void run(const float* in, float* out) { turn<<<1, 128>>>(in, out); }
