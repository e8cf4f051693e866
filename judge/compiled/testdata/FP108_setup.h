template <class Shared>
__device__ void start_copy(Shared& shared);
