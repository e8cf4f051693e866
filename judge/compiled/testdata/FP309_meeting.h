inline __device__ int ld_acquire_sys_global(const int* at) {
  int value;
  asm volatile("ld.acquire.sys.global.s32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
__device__ void ask_for_more(int* box, int count);
