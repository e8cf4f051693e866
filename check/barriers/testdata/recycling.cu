#include "device.h"

// Four warps use barrier 2 twice. Warp 0 only arrives in its first generation: that it has gone on does not show that the
// generation is over. The hand-over by barrier 3 tells warp 1.
extern "C" __global__ void __launch_bounds__(128) recycling() {
	switch (threadIdx.x / 32) {
	case 0:
		ARRIVE(2, 64);
		ARRIVE(0, 64);
		break;
	case 1:
		SYNC(0, 64);
		SYNC(3, 64);
		ARRIVE(2, 64);
		break;
	case 2:
		SYNC(1, 64);
		ARRIVE(3, 64);
		SYNC(2, 64);
		break;
	case 3:
		SYNC(2, 64);
		ARRIVE(1, 64);
		break;
	}
}

// The same without the hand-over: warp 1 may arrive while the first generation still lacks warp 0 or warp 3.
extern "C" __global__ void __launch_bounds__(128) recycling_unsafe() {
	switch (threadIdx.x / 32) {
	case 0:
		ARRIVE(2, 64);
		ARRIVE(0, 64);
		break;
	case 1:
		SYNC(0, 64);
		ARRIVE(2, 64);
		break;
	case 2:
		SYNC(1, 64);
		SYNC(2, 64);
		break;
	case 3:
		SYNC(2, 64);
		ARRIVE(1, 64);
		break;
	}
}
