// Each thread writes an element by a reference to it. There is no barrier before others read it.
// expect: violated race
// small: -

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  float& mine = s[t];
  mine = a[t];
  const float& other = s[127 - t];
  b[t] = other;  // want FP720
}

void launch(const float* a, float* b) { mirror<<<1, 128>>>(a, b); }
