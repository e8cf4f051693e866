// A function advances its copy of a state; the state of the loop stays as it is.
// expect: violated race
// small: -
struct State {
  int stage;
  int turns[2];
  __device__ void next() { stage ^= 1, ++turns[0]; }
};

__device__ State after(State s) {
  s.next();
  return s;
}

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[2][128];
  const int t = threadIdx.x;
  State now{0, {0, 0}};
  for (int i = 0; i < n; ++i) {
    s[now.stage][t] = a[i * 128 + t];
    __syncthreads();
    b[i * 128 + t] = s[now.stage][127 - t];
    State next = after(now);
    next.next();
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 128>>>(a, b, n); }
