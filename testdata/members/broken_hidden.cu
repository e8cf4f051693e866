// A class has a member function of a name that its base has, too; that of the base is called.
// expect: violated race
// small: -
struct Even {
  int stage = 0;
  __device__ void next() {}
};

struct Turn : Even {
  __device__ Turn() : Even() {}
  __device__ void next() { stage ^= 1; }
};

__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[2][128];
  const int t = threadIdx.x;
  Turn now;
  Even& base = now;
  for (int i = 0; i < n; ++i) {
    s[now.stage][t] = a[i * 128 + t]; // want FP720
    __syncthreads();
    b[i * 128 + t] = s[now.stage][127 - t];
    base.next();
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 128>>>(a, b, n); }
