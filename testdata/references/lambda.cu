// A lambda gives each thread a reference to its element.
// expect: holds
// small: -

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  auto at = [&](int i) -> float& { return s[i]; };
  at(t) = a[t];
  __syncthreads();
  b[t] = at(127 - t);
}

void launch(const float* a, float* b) { mirror<<<1, 128>>>(a, b); }
