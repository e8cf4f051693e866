// As narrow.cu, where nobody waits for what others have copied.
// expect: violated race
// small: -
template <typename T> __global__ void __launch_bounds__(128) turned(const T* in, T* out) {
  static_assert(sizeof(T) == 2, "pairs of bytes");
  __shared__ T kept[128 * (32 / sizeof(T))];
  const int each = 32 / sizeof(T);
  for (int k = 0; k < each; k++) kept[threadIdx.x * each + k] = in[threadIdx.x * each + k];
  for (int k = 0; k < each; k++) out[threadIdx.x * each + k] = kept[(127 - threadIdx.x) * each + k];  // want FP720
}
