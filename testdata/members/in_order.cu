// Members are initialised as the class declares them, whatever the order of the initialisers.
// expect: holds
// small: -
struct Pair {
  int first, second;
  __device__ Pair(int k) : second(first ^ 1), first(k) {}
};

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[2][128];
  const int t = threadIdx.x;
  Pair now(0);
  for (int i = 0; i < n; ++i) {
    s[now.first][t] = a[i * 128 + t];
    __syncthreads();
    b[i * 128 + t] = s[now.first][127 - t];
    now = Pair(now.second);
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 128>>>(a, b, n); }
