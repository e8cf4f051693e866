// The constructor and the assignment that a class has for copies run: three turn the stage over.
// expect: holds
// small: -
struct State {
  int stage;
  __device__ explicit State(int s) : stage(s) {}
  __device__ State(const State& o) : stage(o.stage ^ 1) {}
  __device__ State& operator=(const State& o) {
    stage = o.stage ^ 1;
    return *this;
  }
};

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[2][128];
  const int t = threadIdx.x;
  State now(0);
  for (int i = 0; i < n; ++i) {
    s[now.stage][t] = a[i * 128 + t];
    __syncthreads();
    b[i * 128 + t] = s[now.stage][127 - t];
    State next = now;
    State last(next);
    now = last;
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 128>>>(a, b, n); }
