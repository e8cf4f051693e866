// A state is advanced through a pointer to it.
// expect: holds
// small: -
struct State {
  int stage;
};

__device__ void advance(State* s) {
  if (++s->stage == 2) s->stage = 0;
}

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[2][128];
  const int t = threadIdx.x;
  State now{0};
  State* p = &now;
  for (int i = 0; i < n; ++i) {
    s[now.stage][t] = a[i * 128 + t];
    __syncthreads();
    b[i * 128 + t] = s[now.stage][127 - t];
    advance(p);
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 128>>>(a, b, n); }
