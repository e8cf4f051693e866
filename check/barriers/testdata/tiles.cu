#include "blackwell.h"

// What is wrong with a kernel of this file.
enum fault { nothing, not_taken, early_release, other_accumulator, shared_accumulator, early_refill, refill_unseen };

// Tiles of 128 x 64 numbers, each the sum of two products: one warp brings A and B into a ring of two stages, one multiplies into a
// ring of accumulators, four take the results out of tensor memory.
template <int accumulators, fault wrong> static __device__ void tiles(const unsigned short *in, unsigned *out) {
	const int count = 4, depth = 2, stages = 2, columns = 64;
	const int bytes_a = 128 * 64 * 2, bytes_b = 64 * 64 * 2;
	__shared__ alignas(1024) unsigned short a[stages][128 * 64], b[stages][64 * 64];
	__shared__ unsigned long long full[stages], empty[stages], ready[accumulators], taken[accumulators];
	__shared__ unsigned place;
	int thread = threadIdx.x, warp = thread / 32;
	if (warp == 4)
		allocate(shared_address(&place), accumulators * columns);
	if (thread == 0) {
		for (int s = 0; s < stages; s++) {
			mbarrier_init(shared_address(&full[s]), 1);
			mbarrier_init(shared_address(&empty[s]), 1);
		}
		for (int s = 0; s < accumulators; s++) {
			mbarrier_init(shared_address(&ready[s]), 1);
			mbarrier_init(shared_address(&taken[s]), 128);
		}
	}
	__syncthreads();
	unsigned tensor = place;
	if (thread == 160) {
#pragma unroll 1
		for (int k = 0; k < count * depth; k++) {
			int s = k % stages;
			if (wrong != early_refill)
				mbarrier_wait(shared_address(&empty[s]), (k / stages & 1) ^ 1);
			mbarrier_expect(shared_address(&full[s]), bytes_a + bytes_b);
			bulk_copy(shared_address(a[s]), in + k * 12288, bytes_a, shared_address(&full[s]));
			bulk_copy(shared_address(b[s]), in + k * 12288 + 8192, bytes_b, shared_address(&full[s]));
		}
	} else if (thread == 128) {
#pragma unroll 1
		for (int tile = 0; tile < count; tile++) {
			int d = tile % accumulators;
			if (wrong != not_taken)
				mbarrier_wait(shared_address(&taken[d]), (tile / accumulators & 1) ^ 1);
			after_sync();
#pragma unroll 1
			for (int k = tile * depth; k < (tile + 1) * depth; k++) {
				int s = k % stages;
				mbarrier_wait(shared_address(&full[s]), k / stages & 1);
				after_sync();
				for (int part = 0; part < 4; part++)
					multiply(tensor + (wrong == shared_accumulator ? 0 : d * columns), matrix(shared_address(a[s]) + 32 * part),
						 matrix(shared_address(b[s]) + 32 * part), product(columns), part > 0 || k > tile * depth);
				if (wrong == refill_unseen) // says so before the products are done
					mbarrier_arrive(shared_address(&empty[s]));
				else
					commit(shared_address(&empty[s]));
			}
			commit(shared_address(&ready[d]));
		}
	} else if (warp < 4) {
		unsigned v[8];
#pragma unroll 1
		for (int tile = 0; tile < count; tile++) {
			int d = tile % accumulators;
			mbarrier_wait(shared_address(&ready[d]), tile / accumulators & 1);
			after_sync();
			int from = wrong == other_accumulator ? (d + 1) % accumulators : wrong == shared_accumulator ? 0 : d;
			unsigned sum = 0;
#pragma unroll 1
			for (int column = 0; column < columns; column += 8) {
				load(tensor + (warp * 32 << 16) + from * columns + column, v);
				if (wrong != early_release)
					wait_loads();
				for (int k = 0; k < 8; k++)
					sum += v[k];
			}
			before_sync();
			mbarrier_arrive(shared_address(&taken[d]));
			wait_loads();
			out[tile * 128 + thread] = sum;
		}
	}
	before_sync();
	__syncthreads();
	after_sync();
	if (warp == 4)
		deallocate(tensor, accumulators * columns);
}

#define KERNEL(name, accumulators, wrong) extern "C" __global__ void __launch_bounds__(192) name(const unsigned short *in, unsigned *out) { tiles<accumulators, wrong>(in, out); }
KERNEL(tiles_right, 1, nothing)
KERNEL(tiles_not_taken, 1, not_taken)
KERNEL(tiles_early_release, 1, early_release)
KERNEL(tiles_early_refill, 1, early_refill)
KERNEL(tiles_refill_unseen, 1, refill_unseen)
KERNEL(tiles_ring_right, 2, nothing)
KERNEL(tiles_ring_not_taken, 2, not_taken)
KERNEL(tiles_ring_other, 2, other_accumulator)
KERNEL(tiles_ring_shared, 2, shared_accumulator)
