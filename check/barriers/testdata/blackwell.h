// What the kernels of the tensor core need: PTX of sm_100a, compiled by nvcc. See build.sh.
#pragma once

static __device__ unsigned shared_address(const void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

static __device__ void mbarrier_init(unsigned bar, int count) {
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(bar), "r"(count) : "memory");
}

static __device__ void mbarrier_wait(unsigned bar, int parity) {
	asm volatile("{\n\t.reg .pred done;\n"
		     "again:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t@!done bra again;\n\t}"
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

static __device__ void meet_warp() { asm volatile("bar.warp.sync 0xffffffff;" : : : "memory"); }
static __device__ void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }

// Tensor memory: a warp allocates columns, their address comes to shared memory.
static __device__ void allocate(unsigned to, int columns) {
	asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" : : "r"(to), "r"(columns) : "memory");
}

static __device__ void deallocate(unsigned at, int columns) {
	asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" : : "r"(at), "r"(columns) : "memory");
}

static __device__ void before_sync() { asm volatile("tcgen05.fence::before_thread_sync;" : : : "memory"); }
static __device__ void after_sync() { asm volatile("tcgen05.fence::after_thread_sync;" : : : "memory"); }

// A matrix of 16-bit numbers in shared memory, rows of 128 bytes swizzled with 128 bytes, units of eight rows in a row.
static __device__ unsigned long long matrix(unsigned at) {
	return (at >> 4 & 0x3fff) | 1ull << 16 | 1024ull / 16 << 32 | 1ull << 46 | 2ull << 61;
}

// The descriptor of a multiplication of 16-bit numbers to 32-bit ones, M of 128 rows.
static __device__ constexpr unsigned product(int n) { return 1u << 4 | unsigned(n / 8) << 17 | 128u / 16 << 24; }

// D = A * B, or D += A * B.
static __device__ void multiply(unsigned d, unsigned long long a, unsigned long long b, unsigned what, bool add) {
	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %4, 0;\n\t"
		     "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n\t}"
		     : : "r"(d), "l"(a), "l"(b), "r"(what), "r"(static_cast<int>(add)) : "memory");
}

static __device__ void commit(unsigned bar) {
	asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" : : "r"(bar) : "memory");
}

// Eight columns of the lane of tensor memory that is the thread's.
static __device__ void load(unsigned at, unsigned (&v)[8]) {
	asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
		     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]), "=r"(v[7]) : "r"(at) : "memory");
}

static __device__ void store(unsigned at, unsigned v) {
	asm volatile("tcgen05.st.sync.aligned.32x32b.x8.b32 [%0], {%1, %1, %1, %1, %1, %1, %1, %1};" : : "r"(at), "r"(v) : "memory");
}

static __device__ void wait_loads() { asm volatile("tcgen05.wait::ld.sync.aligned;" : : : "memory"); }
static __device__ void wait_stores() { asm volatile("tcgen05.wait::st.sync.aligned;" : : : "memory"); }
