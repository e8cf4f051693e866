#include "device.h"

// Four threads write each element: the same value, computed from what they read, or values of their own.
template <bool own> static __device__ void spread(const float *in, float *out, float scale) {
	__shared__ volatile float a[8], b[8];
	int k = threadIdx.x % 8;
	a[k] = in[k] * scale;
	__syncthreads();
	b[k] = a[k] * 2 + (own ? in[threadIdx.x] : in[k]);
	__syncthreads();
	out[threadIdx.x] = b[k];
}

extern "C" __global__ void __launch_bounds__(32) benign(const float *in, float *out, float scale) { spread<false>(in, out, scale); }
extern "C" __global__ void __launch_bounds__(32) harmful(const float *in, float *out, float scale) { spread<true>(in, out, scale); }
