// What kind of problem it is, the launch says, which is not here: what is compiled for one kind goes together. In each of them threads wait for what others write.
// expect: inconclusive
// small: -
enum class Kind { Dense, Batched, Grouped };

template <Kind kind>
struct Extent {
  int rows;
  __device__ Extent(int n, const int* sizes) {
    if constexpr (kind == Kind::Dense || kind == Kind::Batched) {
      rows = n;
    } else if constexpr (kind == Kind::Grouped) {
      rows = sizes[blockIdx.y];
    }
  }
};

template <Kind kind>
__global__ void __launch_bounds__(128) reversed(const float* in, float* out, const int* sizes, int n) {
  __shared__ float part[128];
  const Extent<kind> extent(n, sizes);
  for (int row = blockIdx.x; row < extent.rows; row += gridDim.x) {
    part[threadIdx.x] = in[row * 128 + threadIdx.x];
    __syncthreads();
    out[row * 128 + threadIdx.x] = part[127 - threadIdx.x];
    __syncthreads();
  }
}
