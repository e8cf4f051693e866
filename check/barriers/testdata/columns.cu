#include "blackwell.h"

// What is wrong with a kernel of this file.
enum fault { nothing, too_wide, no_wait_for_stores, early_store };

// Two allocations: one is for a product, the other one is filled by the threads meanwhile. N of the product says how far it goes.
template <fault wrong> static __device__ void two(unsigned *out) {
	__shared__ alignas(1024) unsigned short a[128 * 64], b[64 * 64];
	__shared__ unsigned long long done;
	__shared__ unsigned place[2];
	int thread = threadIdx.x, warp = thread / 32;
	if (warp == 0) {
		allocate(shared_address(&place[0]), 32);
		allocate(shared_address(&place[1]), 32);
	}
	if (thread == 0)
		mbarrier_init(shared_address(&done), 1);
	__syncthreads();
	unsigned d = place[0], own = place[1] + (warp * 32 << 16);
	if (thread == 0) {
		multiply(d, matrix(shared_address(a)), matrix(shared_address(b)), product(wrong == too_wide ? 64 : 32), false);
		commit(shared_address(&done));
	}
	meet_warp();
#pragma unroll 1
	for (int column = 0; column < 32; column += 8)
		store(own + column, thread);
	if (wrong != no_wait_for_stores)
		wait_stores();
	before_sync();
	__syncthreads();
	mbarrier_wait(shared_address(&done), 0);
	after_sync();
	unsigned v[8], w[8];
	load(d + (warp * 32 << 16), v);
	load(own, w);
	wait_loads();
	out[thread] = v[0] + w[0];
	before_sync();
	__syncthreads();
	if (warp == 0) {
		deallocate(place[0], 32);
		deallocate(place[1], 32);
	}
}

// Rows that threads write, multiplied again and again: the next ones are written when the products are done.
template <fault wrong> static __device__ void rows(unsigned *out) {
	const int rounds = 5;
	__shared__ alignas(1024) unsigned short a[128 * 64], b[64 * 64];
	__shared__ unsigned long long done[2];
	__shared__ unsigned place;
	int thread = threadIdx.x, warp = thread / 32;
	if (warp == 0)
		allocate(shared_address(&place), 64);
	if (thread == 0) {
		mbarrier_init(shared_address(&done[0]), 1);
		mbarrier_init(shared_address(&done[1]), 1);
	}
#pragma unroll 1
	for (int k = thread; k < 64 * 64; k += 128)
		b[k] = k;
	__syncthreads();
	unsigned d = place;
#pragma unroll 1
	for (int round = 0; round < rounds; round++) {
#pragma unroll 1
		for (int k = 0; k < 64; k++)
			a[thread * 64 + k] = k * round;
		proxy_fence();
		__syncthreads();
		if (thread == 0) {
#pragma unroll 1
			for (int k = 0; k < 4; k++)
				multiply(d, matrix(shared_address(a) + 32 * k), matrix(shared_address(b) + 32 * k), product(64), round + k > 0);
			commit(shared_address(&done[round % 2]));
		}
		int over = wrong == early_store ? round - 1 : round; // the products of the round before are not those of this one
		if (over >= 0)
			mbarrier_wait(shared_address(&done[over % 2]), over / 2 & 1);
	}
	if (wrong == early_store)
		mbarrier_wait(shared_address(&done[(rounds - 1) % 2]), (rounds - 1) / 2 & 1);
	after_sync();
	unsigned v[8];
	load(d + (warp * 32 << 16), v);
	wait_loads();
	out[thread] = v[0];
	before_sync();
	__syncthreads();
	if (warp == 0)
		deallocate(d, 64);
}

extern "C" __global__ void __launch_bounds__(128) two_right(unsigned *out) { two<nothing>(out); }
extern "C" __global__ void __launch_bounds__(128) two_too_wide(unsigned *out) { two<too_wide>(out); }
extern "C" __global__ void __launch_bounds__(128) two_no_wait_for_stores(unsigned *out) { two<no_wait_for_stores>(out); }
extern "C" __global__ void __launch_bounds__(128) rows_right(unsigned *out) { rows<nothing>(out); }
extern "C" __global__ void __launch_bounds__(128) rows_early_store(unsigned *out) { rows<early_store>(out); }
