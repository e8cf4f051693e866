#include "device.h"

// Two CTAs of a cluster: each writes a row into the other's shared memory and arrives on the other's mbarrier, which counts
// the threads of a CTA. Without the first barrier of the cluster, the other's mbarrier may not be initialised yet.
template <bool early> static __device__ void exchange(float *out) {
	__shared__ float row[32];
	__shared__ unsigned long bar;
	unsigned mine = shared_address(&bar), rank = cluster_rank(), other = rank ^ 1;
	if (threadIdx.x == 0) {
		mbarrier_init(mine, 32);
		asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
	}
	if (early)
		__syncthreads();
	else
		cluster_sync();
	unsigned there = mapa(shared_address(&row[threadIdx.x]), other);
	asm volatile("st.shared::cluster.f32 [%0], %1;" : : "r"(there), "f"(1.0f) : "memory");
	asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" : : "r"(mapa(mine, other)) : "memory");
	mbarrier_wait_cluster(mine, 0);
	out[32 * rank + threadIdx.x] = row[31 - threadIdx.x];
	cluster_sync();
}

extern "C" __global__ void __launch_bounds__(32) cluster_right(float *out) { exchange<false>(out); }
extern "C" __global__ void __launch_bounds__(32) cluster_early(float *out) { exchange<true>(out); }
