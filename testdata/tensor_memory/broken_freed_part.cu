// The CTA gives back 32 columns of the 64 that it was given.
// expect: violated lifetime
// small: -
#include <cstdint>

struct Done {
  uint64_t word;
  __device__ uint32_t at() const { return static_cast<uint32_t>(__cvta_generic_to_shared(&word)); }
  __device__ void wait(int parity) const {
    uint32_t over;
    do {
      asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.b32 %0, 1, 0, p;\n}" : "=r"(over) : "r"(at()), "r"(parity) : "memory");
    } while (!over);
  }
};

__device__ void behind() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }

__device__ void ahead() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }

__device__ void multiply(uint32_t sums, uint64_t a, uint64_t b, const Done& done) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 0, 0;\ntcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(sums), "l"(a), "l"(b), "r"(0x8100010) : "memory");
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(done.at()) : "memory");
}

__device__ float read(uint32_t sums) {
  float sum;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=f"(sum) : "r"(sums + (threadIdx.x / 32 << 21)));
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
  return sum;
}

__global__ void __launch_bounds__(128) products(uint64_t a, uint64_t b, float* out) {
  __shared__ uint32_t columns;
  __shared__ Done done;
  if (threadIdx.x < 32) asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&columns))) : "memory");
  if (threadIdx.x == 64) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(done.at()) : "memory");
  ahead();
  __syncthreads();
  behind();
  const uint32_t sums = columns;
  if (threadIdx.x == 64) multiply(sums, a, b, done);
  done.wait(0);
  behind();
  const float first = read(sums);
  ahead();
  __syncthreads();
  behind();
  if (threadIdx.x == 64) multiply(sums, b, a, done);
  done.wait(1);
  behind();
  out[blockIdx.x * 128 + threadIdx.x] = first + read(sums);
  ahead();
  __syncthreads();
  behind();
  if (threadIdx.x < 32) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(sums));
}

void run(uint64_t a, uint64_t b, float* out) { products<<<4, 128>>>(a, b, out); }
