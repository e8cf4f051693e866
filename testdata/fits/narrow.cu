// The text launches it with no type, and says that one has two bytes: sixteen of them are what a thread copies at once.
// expect: holds open=race-grid
// small: -
template <typename T> __global__ void __launch_bounds__(128) turned(const T* in, T* out) {
  static_assert(sizeof(T) == 2, "pairs of bytes");
  __shared__ T kept[128 * (32 / sizeof(T))];
  const int each = 32 / sizeof(T);
  for (int k = 0; k < each; k++) kept[threadIdx.x * each + k] = in[threadIdx.x * each + k];
  __syncthreads();
  for (int k = 0; k < each; k++) out[threadIdx.x * each + k] = kept[(127 - threadIdx.x) * each + k];
}
