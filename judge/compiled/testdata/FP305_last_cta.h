inline __device__ void st_release_sys_u32(unsigned* at, unsigned value) { asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory"); }
inline __device__ void st_release_sys_u32(int* at, int value) { st_release_sys_u32(reinterpret_cast<unsigned*>(at), value); }
