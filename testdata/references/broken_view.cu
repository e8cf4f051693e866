// Each thread writes its element through a view that has an operator of its own. There is no barrier before others read it.
// expect: violated race
// small: -

struct View {
  float* p;
  __device__ float& operator[](int i) { return p[i]; }
};

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  View v{s};
  v[t] = a[t];
  b[t] = v[127 - t];  // want FP720
}

void launch(const float* a, float* b) { mirror<<<1, 128>>>(a, b); }
