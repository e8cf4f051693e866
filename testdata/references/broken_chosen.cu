// A reference to one of two elements, and no barrier before others read it.
// expect: violated race
// small: -

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  float& x = t < 64 ? s[t] : s[t - 64];
  x = a[t];
  b[t] = s[127 - t];
}

void launch(const float* a, float* b) { mirror<<<1, 128>>>(a, b); }
