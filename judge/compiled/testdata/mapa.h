#include <cuda/ptx>
namespace cuda::ptx {
template <class T>
inline __device__ T* mapa(space_cluster_t, T* at, uint32_t rank) {
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(at), "r"(rank));
  return there;
}
inline __device__ void mbarrier_arrive(sem_release_t, scope_cta_t, space_cluster_t, uint64_t* at) {
  asm volatile("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(at))) : "memory");
}
}  // namespace cuda::ptx
