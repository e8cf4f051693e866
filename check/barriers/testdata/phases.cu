#include "device.h"

// A warp copies, another computes, in two phases a round. LATE is the bug: the next copy is asked for before the last read of
// the buffer, so that it may overwrite what is still read.
template <bool late> static __device__ void two_phases(const float *in, float *out, int rounds) {
	__shared__ float buffer[32];
	int lane = threadIdx.x % 32;
	if (threadIdx.x < 32) {
		float first = 0, second = 0;
		ARRIVE(1, 64);
		for (int i = 0; i < rounds; i++) {
			SYNC(2, 64);
			first += buffer[lane];
			if (late)
				ARRIVE(1, 64);
			second += buffer[31 - lane];
			if (!late)
				ARRIVE(1, 64);
		}
		out[lane] = first - second;
	} else {
		for (int i = 0; i < rounds; i++) {
			SYNC(1, 64);
			buffer[lane] = in[32 * i + lane];
			ARRIVE(2, 64);
		}
		SYNC(1, 64);
	}
}

extern "C" __global__ void __launch_bounds__(64) phases(const float *in, float *out) { two_phases<false>(in, out, 40); }
extern "C" __global__ void __launch_bounds__(64) phases_late(const float *in, float *out) { two_phases<true>(in, out, 40); }

// As many rounds as the caller says: nothing is known unless --param says how many.
extern "C" __global__ void __launch_bounds__(64) phases_open(const float *in, float *out, int rounds) { two_phases<false>(in, out, rounds); }
