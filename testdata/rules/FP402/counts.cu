using cutlass::arch::NamedBarrier;

template <int kThreads>
__global__ void __launch_bounds__(384) counts() {
  NamedBarrier::sync(384, 0);
  NamedBarrier::sync(kThreads, 1);
  NamedBarrier::sync(48, 2);  // want FP402 "counts 48 threads"
  asm volatile("bar.arrive 3, 512;" ::: "memory");  // want FP402 "at most the 384 threads"
  asm volatile("bar.sync 4;" ::: "memory");
}
