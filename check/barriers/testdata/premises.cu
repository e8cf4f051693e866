// Kernels that do not say how they are launched, right and with one thing wrong.
#include "device.h"

// A sum over the CTA: half of the threads, then half of these.
template <bool RIGHT> __device__ inline void sum(const float *in, float *out) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half)
      part[t] += part[t + half];
    if (RIGHT)
      __syncthreads();
  }
  if (t == 0)
    out[0] = part[0];
}
extern "C" __global__ void sum_right(const float *in, float *out) { sum<true>(in, out); }
extern "C" __global__ void sum_broken(const float *in, float *out) { sum<false>(in, out); }

// A tile is written by rows and read by columns: 16 by 16 threads, and no others.
template <bool RIGHT> __device__ inline void turn(const float *in, float *out) {
  __shared__ float tile[16][17];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 16 + x];
  if (RIGHT)
    __syncthreads();
  out[y * 16 + x] = tile[x][y];
}
extern "C" __global__ void turn_right(const float *in, float *out) { turn<true>(in, out); }
extern "C" __global__ void turn_broken(const float *in, float *out) { turn<false>(in, out); }

// 192 threads go over 1,024 elements. With more of them two would write one element.
template <bool RIGHT> __device__ inline void stride(const float *in, float *out) {
  __shared__ float copy[1024];
  for (int i = threadIdx.x; i < 1024; i += 192)
    copy[i] = in[i];
  if (RIGHT)
    __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += 192)
    out[i] = copy[1023 - i];
}
extern "C" __global__ void stride_right(const float *in, float *out) { stride<true>(in, out); }
extern "C" __global__ void stride_broken(const float *in, float *out) { stride<false>(in, out); }

// As many rounds as the caller says; each writes what others still read in the round before.
template <bool RIGHT> __device__ inline void rounds(const float *in, float *out, int n) {
  __shared__ float row[128];
  int t = threadIdx.x;
  for (int k = 0; k < n; k++) {
    row[t] = in[k * 128 + t];
    __syncthreads();
    out[k * 128 + t] = row[127 - t];
    if (RIGHT)
      __syncthreads();
  }
}
extern "C" __global__ void rounds_right(const float *in, float *out, int n) { rounds<true>(in, out, n); }
extern "C" __global__ void rounds_broken(const float *in, float *out, int n) { rounds<false>(in, out, n); }

// The last threads have nothing to do where n is no multiple of 64, and come to no barrier.
template <bool RIGHT> __device__ inline void tail(const float *in, float *out, int n) {
  __shared__ float row[64];
  int t = threadIdx.x;
  for (int k = t; k - t < n; k += 64) {
    if (RIGHT || k < n) {
      row[t] = k < n ? in[k] : 0;
      SYNC(1, 64);
      if (k < n)
        out[k] = row[t ^ 1];
      SYNC(1, 64);
    }
  }
}
extern "C" __global__ void __launch_bounds__(64) tail_right(const float *in, float *out, int n) { tail<true>(in, out, n); }
extern "C" __global__ void __launch_bounds__(64) tail_broken(const float *in, float *out, int n) { tail<false>(in, out, n); }

// The last of three warps writes what the first two read: the barrier has all 96 of them, or forgets one.
template <int COUNT> __device__ inline void roles(const float *in, float *out) {
  __shared__ float row[64];
  int t = threadIdx.x;
  if (t >= 64) {
    row[t - 64] = in[t - 64];
    row[t - 32] = in[t - 32];
    SYNC(1, COUNT);
  } else {
    SYNC(1, COUNT);
    out[t] = row[63 - t];
  }
}
extern "C" __global__ void roles_right(const float *in, float *out) { roles<96>(in, out); }
extern "C" __global__ void roles_broken(const float *in, float *out) { roles<64>(in, out); }
