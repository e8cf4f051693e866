// The launch is among the arguments of a macro that chooses a type, and its brackets are drawn apart.
// expect: holds open=race-grid
// small: -
#define CHOOSE_TYPE(half_size, Type, ...) \
  do {                                    \
    if (half_size) {                      \
      using Type = short;                 \
      { __VA_ARGS__ }                     \
    } else {                              \
      using Type = int;                   \
      { __VA_ARGS__ }                     \
    }                                     \
  } while (0)

template <typename T> __global__ void backwards(const T* in, T* out) {
  __shared__ T row[96];
  row[threadIdx.x] = in[blockIdx.x * 96 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 96 + threadIdx.x] = row[95 - threadIdx.x];
}

void run(bool half_size, const void* in, void* out, int rows, cudaStream_t stream) {
  CHOOSE_TYPE(half_size, Element,
      const Element* from = static_cast<const Element*>(in);
      backwards<Element> << <rows, 96, 0, stream>> >(from, static_cast<Element*>(out)););
}
