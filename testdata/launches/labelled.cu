// The label of a case begins the text of the macro that launches: what the switch asks for is what the template has.
// expect: holds
// small: -

template <int Rows>
__global__ void turn(const float* in, float* out) {
  __shared__ float tile[128];
  int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  for (int r = 0; r < Rows; r++) out[r * 128 + t] = tile[(t + 32 * r) % 128];
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
