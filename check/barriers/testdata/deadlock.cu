#include "device.h"

// Each of two warps waits in a barrier before it arrives in the one that the other waits in.
extern "C" __global__ void __launch_bounds__(64) deadlock() {
	if (threadIdx.x < 32) {
		SYNC(0, 64);
		ARRIVE(1, 64);
	} else {
		SYNC(1, 64);
		ARRIVE(0, 64);
	}
}
