// Class templates that are named without arguments (C++17): the constructor's argument, a lambda or a pointer, says what they are. Threads meet before they read what others write.
// expect: holds open=race-grid
// small: -
#include <utility>

template <typename F> struct Parts {
  F part;
  __device__ explicit Parts(F&& f) : part(std::forward<F>(f)) {}
  __device__ auto operator[](unsigned i) const { return part(i); }
};

template <typename T> struct Cursor {
  T* at;
  __device__ explicit Cursor(T* p) : at(p) {}
  __device__ T& operator()(int i) const { return at[i]; }
};

__global__ void __launch_bounds__(128) swap(const float* in, float* out) {
  extern __shared__ unsigned char memory[];
  auto parts = Parts([&](unsigned i) { return reinterpret_cast<float*>(memory + i * 512); });
  Cursor second(parts[1]);
  parts[0][threadIdx.x] = in[threadIdx.x];
  second(threadIdx.x) = in[128 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = parts[1][127 - threadIdx.x] + parts[0][threadIdx.x];
}
