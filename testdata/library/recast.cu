// Two rows go through one storage: threads load four numbers at a time into arrays of single ones.
// expect: holds open=race-grid
// small: -
#include <cub/cub.cuh>

template <int kThreads, int kItems>
struct Rows {
  static constexpr int kFours = kItems / 4;
  using Load = cub::BlockLoad<float4, kThreads, kFours, cub::BLOCK_LOAD_TRANSPOSE>;
};

template <typename R, int kItems>
__device__ void load(float* from, float (&items)[kItems], typename R::Load::TempStorage& storage) {
  typename R::Load(storage).Load(reinterpret_cast<float4*>(from), reinterpret_cast<float4(&)[R::kFours]>(items));
}

template <typename R>
__global__ void __launch_bounds__(128) products(float* a, float* b, float* out) {
  __shared__ typename R::Load::TempStorage loads;
  float x[8], y[8];
  load<R>(a + blockIdx.x * 1024, x, loads);
  __syncthreads();
  load<R>(b + blockIdx.x * 1024, y, loads);
  for (int k = 0; k < 8; k++) out[blockIdx.x * 1024 + threadIdx.x * 8 + k] = x[k] * y[k];
}

void run(float* a, float* b, float* out, int n) { products<Rows<128, 8>><<<n / 1024, 128>>>(a, b, out); }
