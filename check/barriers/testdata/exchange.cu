#include "device.h"

// Two warps hand a row over and back. The first warp's write may run beside what the second does between its first
// barrier and its read.
extern "C" __global__ void __launch_bounds__(64) exchange(float *out, float z) {
	__shared__ float row[32];
	int lane = threadIdx.x % 32;
	float y = 0;
	SYNC(0, 64);
	if (threadIdx.x < 32) {
		row[lane] = z;
		ARRIVE(1, 64);
	} else {
		SYNC(1, 64);
		y = row[lane];
	}
	SYNC(0, 64);
	if (threadIdx.x < 32) {
		SYNC(1, 64);
		y = row[lane];
	} else {
		row[lane] = z + y;
		ARRIVE(1, 64);
	}
	out[threadIdx.x] = y;
}
