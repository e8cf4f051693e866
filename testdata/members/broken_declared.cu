// A class template is declared with a default, and defined for some arguments alone: each thread reads what its neighbour has written, which nothing orders.
// expect: violated race
// small: -

template <int L, typename T, int Q = 0>
struct Vec;

template <typename T, int Q>
struct Vec<3, T, Q> {
  T x, y, z;
};

template <typename T, int N = 4>
struct Row;

template <typename T, int N>
struct Row {
  T at[N];
};

__global__ void mirror(const float* in, float* out) {
  __shared__ Vec<3, float> s[64];
  __shared__ Row<float> rows[64];
  s[threadIdx.x].y = in[threadIdx.x];
  rows[threadIdx.x].at[3] = in[threadIdx.x];
  const float* flat = &s[0].x;
  const float* last = &rows[0].at[0];
  out[threadIdx.x] = flat[(threadIdx.x + 1) % 64 * 3 + 1] + last[threadIdx.x * 4 + 3];  // want FP720
}

void launch(const float* in, float* out) { mirror<<<1, 64>>>(in, out); }
