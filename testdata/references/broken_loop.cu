// A loop over the elements by reference, and no barrier before others read them.
// expect: violated race
// small: -

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  for (float& x : s) x = a[t];
  b[t] = s[127 - t];
}

void launch(const float* a, float* b) { mirror<<<1, 128>>>(a, b); }
