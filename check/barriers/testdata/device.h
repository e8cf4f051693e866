// What the kernels of this folder need of CUDA, for clang without the toolkit:
//   clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -O2 -gline-tables-only -S -o k.ptx k.cu
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
#include <__clang_cuda_builtin_vars.h>

#define SYNC(id, n) asm volatile("bar.sync %0, %1;" : : "n"(id), "n"(n) : "memory")
#define ARRIVE(id, n) asm volatile("bar.arrive %0, %1;" : : "n"(id), "n"(n) : "memory")

static __device__ unsigned shared_address(const void *p) {
	unsigned long at;
	asm("cvta.to.shared.u64 %0, %1;" : "=l"(at) : "l"(p));
	return at;
}

static __device__ void mbarrier_init(unsigned bar, int count) {
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(bar), "r"(count) : "memory");
}

static __device__ void mbarrier_wait(unsigned bar, int parity) {
	asm volatile("{\n\t.reg .pred done;\n"
		     "again:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t@!done bra again;\n\t}"
		     : : "r"(bar), "r"(parity) : "memory");
}

// The same, with what other CTAs of the cluster wrote before they arrived.
static __device__ void mbarrier_wait_cluster(unsigned bar, int parity) {
	asm volatile("{\n\t.reg .pred done;\n"
		     "again:\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n\t@!done bra again;\n\t}"
		     : : "r"(bar), "r"(parity) : "memory");
}

static __device__ void mbarrier_arrive(unsigned bar) {
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(bar) : "memory");
}

static __device__ void mbarrier_expect(unsigned bar, int bytes) {
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(bar), "r"(bytes) : "memory");
}

static __device__ void bulk_copy(unsigned to, const void *from, int bytes, unsigned bar) {
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
		     : : "r"(to), "l"(from), "r"(bytes), "r"(bar) : "memory");
}

static __device__ bool elect() {
	int yes;
	asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, 0xFFFFFFFF;\n\tselp.s32 %0, 1, 0, p;\n\t}" : "=r"(yes));
	return yes;
}

static __device__ unsigned cluster_rank() {
	unsigned r;
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
	return r;
}

static __device__ unsigned mapa(unsigned at, unsigned rank) {
	unsigned r;
	asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(at), "r"(rank));
	return r;
}

static __device__ void cluster_sync() {
	asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" : : : "memory");
}
