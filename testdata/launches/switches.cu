// Numbers that a host decides on at run time become arguments of a template by a macro, one in the block of another; the
// traits that are made of them say how large a CTA is.
// expect: holds open=race-grid
// small: -

#define AS_CONSTANT(condition, name, ...)       \
  [&] {                                         \
    if (condition) {                            \
      static constexpr bool name = true;        \
      return __VA_ARGS__();                     \
    } else {                                    \
      static constexpr bool name = false;       \
      return __VA_ARGS__();                     \
    }                                           \
  }()
#define FOR_OTHERS(x)

template <int Threads_, bool Turned_, bool Twice_> struct Traits {
  static constexpr int Threads = Threads_;
  static constexpr bool Turned = Turned_, Twice = Twice_;
};

template <typename K> __global__ void exchange(const float* a, float* b) {
  __shared__ float s[K::Threads];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  float v = s[K::Turned ? K::Threads - 1 - threadIdx.x : threadIdx.x];
  if constexpr (K::Twice) {
    __syncthreads();
    s[threadIdx.x] = v;
    __syncthreads();
    v += s[(threadIdx.x + 1) % K::Threads];
  }
  b[threadIdx.x] = v;
}

template <int Threads> void launch(const float* a, float* b, int n, bool twice) {
  AS_CONSTANT(n % 4 == 0, Turned, [&] {
    AS_CONSTANT(twice, Twice, [&] {
      using K = Traits<Threads, Turned, Twice>;
      auto kernel = &exchange<K>;
      cudaFuncSetAttribute(FOR_OTHERS((const void*)) kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 16);
      kernel<<<n, K::Threads>>>(a, b);
    });
  });
}

template void launch<64>(const float*, float*, int, bool);
template void launch<128>(const float*, float*, int, bool);
