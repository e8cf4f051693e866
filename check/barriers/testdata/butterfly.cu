#include "device.h"

template <class T> static __device__ T partner(T x, int k) {
	T y;
	if constexpr (__is_same(T, float))
		asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=f"(y) : "f"(x), "r"(k));
	else
		asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=r"(y) : "r"(x), "r"(k));
	return y;
}

template <class T> static __device__ T behind(T x, int k) {
	T y;
	if constexpr (__is_same(T, float))
		asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, -1;" : "=f"(y) : "f"(x), "r"(k));
	else
		asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, -1;" : "=r"(y) : "r"(x), "r"(k));
	return y;
}

// Sums a warp's values, and has all lanes store the sum. Each lane has it where partners exchange (xor): the two orders of a sum are one
// value. Where values come from the lanes behind, only the first lane has it.
template <bool exchange> static __device__ void sum(const float *in, float *out) {
	__shared__ volatile float rows[4];
	float x = in[threadIdx.x];
#pragma unroll
	for (int k = 16; k > 0; k /= 2)
		x += exchange ? partner(x, k) : behind(x, k);
	rows[threadIdx.x / 32] = x;
	__syncthreads();
	out[threadIdx.x] = rows[threadIdx.x % 4];
}

extern "C" __global__ void __launch_bounds__(128) butterfly(const float *in, float *out) { sum<true>(in, out); }
extern "C" __global__ void __launch_bounds__(128) downwards(const float *in, float *out) { sum<false>(in, out); }

// The same with integers.
template <bool exchange> static __device__ void most(const int *in, int *out) {
	__shared__ volatile int rows[4];
	int x = in[threadIdx.x];
#pragma unroll
	for (int k = 16; k > 0; k /= 2) {
		int y = exchange ? partner(x, k) : behind(x, k);
		x = x > y ? x : y;
	}
	rows[threadIdx.x / 32] = x;
	__syncthreads();
	out[threadIdx.x] = rows[threadIdx.x % 4];
}

extern "C" __global__ void __launch_bounds__(128) butterfly_most(const int *in, int *out) { most<true>(in, out); }
extern "C" __global__ void __launch_bounds__(128) downwards_most(const int *in, int *out) { most<false>(in, out); }
