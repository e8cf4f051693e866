using cutlass::arch::NamedBarrier;
enum class Mine : uint32_t { First = 0, Last = 7, Beyond = 8 };

__device__ void ids() {
  NamedBarrier::sync(128, 7);
  NamedBarrier::arrive(128, 8);  // want FP401 "named barrier 16 is user barrier 8 after CUTLASS adds 8"
  NamedBarrier::sync(128, cutlass::arch::ReservedNamedBarriers::EpilogueBarrier);
  NamedBarrier::sync_internal(128, 15);
  asm volatile("bar.sync 16, 128;" ::: "memory");  // want FP401 "id is 16"
}
