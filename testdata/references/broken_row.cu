// A reference to a row of an array. There is no barrier before others read it.
// expect: violated race
// small: -

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  float (&row)[128] = s;
  row[t] = a[t];
  b[t] = row[127 - t];  // want FP720
}

void launch(const float* a, float* b) { mirror<<<1, 128>>>(a, b); }
