// A member that is a reference to an element, and no barrier before others read it.
// expect: violated race
// small: -

struct Sum {
  float& x;
  __device__ void add(float y) { x += y; }
};

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  Sum sum{s[t]};
  sum.add(a[t]);
  b[t] = s[127 - t];
}

void launch(const float* a, float* b) { mirror<<<1, 128>>>(a, b); }
