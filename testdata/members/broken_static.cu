// Static members are no part of an object, so each thread reads by another name what its neighbour has written.
// expect: violated race
// small: -

struct Cell {
  static int made;
  static const Cell kNone;
  float x;
};

__global__ void shift(const float* in, float* out) {
  __shared__ Cell cells[128];
  cells[threadIdx.x].x = in[threadIdx.x];
  const float* flat = &cells[0].x;
  out[threadIdx.x] = flat[(threadIdx.x + 1) % 128];  // want FP720
}

void launch(const float* in, float* out) { shift<<<1, 128>>>(in, out); }
