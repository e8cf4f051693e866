// A parameter of a template has the name of the function that it is given.
// expect: holds open=race-grid
// small: -
__device__ void change(float& x) { x *= 2; }

template <typename T, void change(T&)> __device__ void inner(T& x) { change(x); }
template <typename T, void change(T&)> __device__ void outer(T& x) { inner<T, change>(x); }

__global__ void __launch_bounds__(64) mirror(const float* in, float* out) {
  __shared__ float row[64];
  row[threadIdx.x] = in[threadIdx.x];
  outer<float, change>(row[threadIdx.x]);
  __syncthreads();
  out[64 * blockIdx.x + threadIdx.x] = row[63 - threadIdx.x];
}

void run(const float* in, float* out, int rows) { mirror<<<rows, 64>>>(in, out); }
