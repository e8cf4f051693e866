#include "device.h"

// What is wrong with a kernel of this file.
enum fault { nothing, stuck_parity, no_wait_for_empty, few_arrivals, wrong_bytes };

// A warp brings rows by bulk copies into a ring of two stages, four warps add them up. Stage s of round r is full after
// completion r/2 of full[s], and empty after completion r/2 of empty[s].
template <fault wrong> static __device__ void ring(const float *in, float *out) {
	const int stages = 2, rounds = 7, row = 128;
	__shared__ float buffer[stages][row];
	__shared__ unsigned long full[stages], empty[stages];
	int thread = threadIdx.x;
	if (thread == 0) {
		for (int s = 0; s < stages; s++) {
			mbarrier_init(shared_address(&full[s]), 1);
			mbarrier_init(shared_address(&empty[s]), wrong == few_arrivals ? row + 1 : row);
		}
	}
	__syncthreads();
	if (thread < row) {
		float sum = 0;
		for (int r = 0; r < rounds; r++) {
			int s = r % stages;
			mbarrier_wait(shared_address(&full[s]), wrong == stuck_parity ? 0 : r / stages & 1);
			sum += buffer[s][thread];
			mbarrier_arrive(shared_address(&empty[s]));
		}
		out[thread] = sum;
	} else if (elect()) {
		for (int r = 0; r < rounds; r++) {
			int s = r % stages;
			if (wrong != no_wait_for_empty)
				mbarrier_wait(shared_address(&empty[s]), (r / stages & 1) ^ 1);
			mbarrier_expect(shared_address(&full[s]), sizeof buffer[s]);
			bulk_copy(shared_address(buffer[s]), in + r * row, wrong == wrong_bytes ? sizeof buffer[s] - 16 : sizeof buffer[s],
				  shared_address(&full[s]));
		}
	}
}

extern "C" __global__ void __launch_bounds__(160) ring_right(const float *in, float *out) { ring<nothing>(in, out); }
extern "C" __global__ void __launch_bounds__(160) ring_stuck_parity(const float *in, float *out) { ring<stuck_parity>(in, out); }
extern "C" __global__ void __launch_bounds__(160) ring_no_empty(const float *in, float *out) { ring<no_wait_for_empty>(in, out); }
extern "C" __global__ void __launch_bounds__(160) ring_few_arrivals(const float *in, float *out) { ring<few_arrivals>(in, out); }
extern "C" __global__ void __launch_bounds__(160) ring_wrong_bytes(const float *in, float *out) { ring<wrong_bytes>(in, out); }
