// What libcu++ has of <cuda/functional> (CCCL documentation, Extended API, Functional): a function object that is given back as it is.

namespace cuda {

template <typename R, typename F> __device__ F proclaim_return_type(F f) { return f; }
template <typename F> __device__ F proclaim_copyable_arguments(F f) { return f; }

}  // namespace cuda
