// A class template is what a template is given, and handed on.
// expect: holds
// small: -
template <class T>
struct Greater {
  __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};
template <template <typename> class Fold, typename T>
__device__ T of_lanes(T v) {
  for (int apart = 16; apart > 0; apart /= 2) v = Fold<T>()(v, __shfl_xor_sync(0xffffffff, v, apart));
  return v;
}
template <template <typename> class Fold, typename T>
__device__ T of_all(T v) {
  __shared__ T part[4];
  v = of_lanes<Fold, T>(v);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  return of_lanes<Fold, T>(part[threadIdx.x % 4]);
}
__global__ void greatest(float* out, const float* in) {
  float first = of_all<Greater, float>(in[threadIdx.x]);
  __syncthreads();
  float second = of_all<Greater, float>(in[threadIdx.x + 128]);
  if (threadIdx.x == 0) out[blockIdx.x] = first - second;
}
void run(float* out, const float* in) { greatest<<<1, 128>>>(out, in); }
