// The host chooses between instances by functions without a name that have a template of their own (C++20), one of which is handed on.
// expect: holds open=race-grid
// small: -

template <int Parts, int Threads> __global__ void rotate(const float* a, float* b) {
  __shared__ float s[Threads];
  s[threadIdx.x] = a[blockIdx.x * Threads + threadIdx.x];
  for (int k = 0; k < Parts; k++) {
    __syncthreads();
    float v = s[(threadIdx.x + Threads / Parts) % Threads];
    __syncthreads();
    s[threadIdx.x] = v;
  }
  b[blockIdx.x * Threads + threadIdx.x] = s[threadIdx.x];
}

template <typename F> void twice(F&& run) {
  run();
  run();
}

void launch(const float* a, float* b, int n, int threads) {
  auto with = [&]<int Threads>() {
    const dim3 block = dim3{Threads, 1, 1};
    auto chosen = [&]<int Parts>() { rotate<Parts, Threads><<<n, block>>>(a, b); };
    if (n % 2 == 0) chosen.template operator()<2>();
    else chosen.template operator()<4>();
  };
  twice([&] {
    if (threads == 64) with.template operator()<64>();
    else with.template operator()<256>();
  });
}
