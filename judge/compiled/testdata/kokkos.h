namespace Kokkos {
template <class T>
inline __device__ T atomic_fetch_add(T* at, T value) { return atomicAdd(at, value); }
inline __device__ unsigned atomic_fetch_add(unsigned* at, int value) { return atomicAdd(at, static_cast<unsigned>(value)); }
}
