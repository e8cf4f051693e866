// The label of a case begins the text of the macro that launches. With two rows a warp reads what another one writes.
// expect: violated race
// small: -

template <int Rows>
__global__ void turn(const float* in, float* out) {
  __shared__ float tile[128];
  int t = threadIdx.x;
  tile[t] = in[t];
  for (int r = 0; r < Rows; r++) out[r * 128 + t] = tile[(t + 32 * r) % 128];  // want FP720
}

#define ROWS(n) \
  case n: \
    turn<n><<<1, 128>>>(in, out); \
    break;

void launch(const float* in, float* out, int rows) {
  switch (rows) {
    ROWS(1)
    ROWS(2)
    ROWS(4)
  }
}
