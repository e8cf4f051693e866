#include "blackwell.h"

// What is wrong with a kernel of this file.
enum fault { nothing, no_wait, wrong_parity, no_wait_for_loads, no_dealloc, early_dealloc, late_columns, other_thread };

// One product of 128 x 64 and 64 x 64 numbers: a thread issues it, four warps take the result out of tensor memory.
template <fault wrong> static __device__ void one_product(unsigned *out) {
	__shared__ alignas(1024) unsigned short a[128 * 64], b[64 * 64];
	__shared__ unsigned long long done;
	__shared__ unsigned place;
	int thread = threadIdx.x, warp = thread / 32;
	if (warp == 0)
		allocate(shared_address(&place), 64);
	if (thread == 0)
		mbarrier_init(shared_address(&done), 1);
#pragma unroll 1
	for (int k = thread; k < 128 * 64; k += 128)
		a[k] = k;
#pragma unroll 1
	for (int k = thread; k < 64 * 64; k += 128)
		b[k] = k;
	proxy_fence();
	__syncthreads();
	unsigned d = place;
	if (thread == 0) {
#pragma unroll 1
		for (int k = 0; k < 4; k++)
			multiply(d, matrix(shared_address(a) + 32 * k), matrix(shared_address(b) + 32 * k), product(64), k > 0);
		if (wrong != other_thread)
			commit(shared_address(&done));
	}
	if (wrong == other_thread && thread == 1)
		commit(shared_address(&done));
	if (wrong != no_wait)
		mbarrier_wait(shared_address(&done), wrong == wrong_parity ? 1 : 0);
	after_sync();
	if (wrong == early_dealloc) {
		__syncthreads();
		if (warp == 0)
			deallocate(d, 64);
		__syncthreads();
	}
	unsigned v[8], sum = 0;
#pragma unroll 1
	for (int column = 0; column < 64; column += 8) {
		load(d + (warp * 32 << 16) + column + (wrong == late_columns ? 8 : 0), v);
		if (wrong != no_wait_for_loads)
			wait_loads();
		for (int k = 0; k < 8; k++)
			sum += v[k];
	}
	out[thread] = sum;
	before_sync();
	__syncthreads();
	if (warp == 0 && wrong != no_dealloc && wrong != early_dealloc)
		deallocate(d, 64);
}

extern "C" __global__ void __launch_bounds__(128) product_right(unsigned *out) { one_product<nothing>(out); }
extern "C" __global__ void __launch_bounds__(128) product_no_wait(unsigned *out) { one_product<no_wait>(out); }
extern "C" __global__ void __launch_bounds__(128) product_wrong_parity(unsigned *out) { one_product<wrong_parity>(out); }
extern "C" __global__ void __launch_bounds__(128) product_no_wait_for_loads(unsigned *out) { one_product<no_wait_for_loads>(out); }
extern "C" __global__ void __launch_bounds__(128) product_no_dealloc(unsigned *out) { one_product<no_dealloc>(out); }
extern "C" __global__ void __launch_bounds__(128) product_early_dealloc(unsigned *out) { one_product<early_dealloc>(out); }
extern "C" __global__ void __launch_bounds__(128) product_late_columns(unsigned *out) { one_product<late_columns>(out); }
extern "C" __global__ void __launch_bounds__(128) product_other_thread(unsigned *out) { one_product<other_thread>(out); }
