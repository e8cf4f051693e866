// As handed.cu, where one of the callers gives what nobody waits for.
// expect: violated race
// small: -

template <class T, int Meet> __global__ void turned(const float* a, float* b) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  if constexpr (sizeof(T) == 4 && Meet != 2) __syncthreads();
  b[threadIdx.x] = s[63 - threadIdx.x];  // want FP720
}

template <class T, int Meet> void turn(const float* a, float* b) {
  turned<T, Meet><<<1, 64>>>(a, b);
}

void launch(const float* a, float* b, int n) {
  if (n > 3) turn<float, 1>(a, b);
  else turn<int, 2>(a, b);
}
