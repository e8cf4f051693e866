// A condition on its template decides which of two functions there is: for a double it is the one without the barrier.
// expect: inconclusive
// reason: call of meet
// small: -
#include <type_traits>

template <class T> __device__ std::enable_if_t<(sizeof(T) == 4)> meet(T) { __syncthreads(); }
template <class T> __device__ std::enable_if_t<(sizeof(T) == 8)> meet(T) {}

__global__ void turned(const double* in, double* out) {
  __shared__ double row[96];
  row[threadIdx.x] = in[threadIdx.x];
  meet(in[0]);
  out[threadIdx.x] = row[95 - threadIdx.x];
}

void run(const double* in, double* out) { turned<<<1, 96>>>(in, out); }
