// A lambda gives each thread a reference to its element. There is no barrier before others read it.
// expect: violated race
// small: -

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  auto at = [&](int i) -> float& { return s[i]; };
  at(t) = a[t];
  b[t] = at(127 - t);  // want FP720
}

void launch(const float* a, float* b) { mirror<<<1, 128>>>(a, b); }
