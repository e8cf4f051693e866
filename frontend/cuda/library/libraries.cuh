// Models of classes and macros of libraries that a tree of CUDA C++ rarely holds itself.

// c10/macros/Macros.h: what they test holds.
#define CUDA_KERNEL_ASSERT(x)
#define CUDA_KERNEL_ASSERT2(x)
#define CUDA_KERNEL_ASSERT_MSG(x, text)
#define C10_UNLIKELY(x) (x)
#define C10_LIKELY(x) (x)

#define C10_STRINGIZE(x) ""

// ATen/cuda/detail/KernelUtils.h: what threads of the grid go over together.
#define CUDA_KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define CUDA_KERNEL_LOOP_TYPE(i, n, T) for (T i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

// ATen/cuda/Atomic.cuh
template <typename T, typename V> __device__ T gpuAtomicAdd(T* at, V x) { return atomicAdd(at, x); }
template <typename T, typename V> __device__ void gpuAtomicAddNoReturn(T* at, V x) { atomicAdd(at, x); }

// ATen/cuda/DeviceUtils.cuh, and THC/THCDeviceUtils.cuh before it: the mask comes last, and is that of a whole warp.
inline __device__ unsigned int ACTIVE_MASK() { return __activemask(); }
inline __device__ void WARP_SYNC(unsigned int mask = 0xffffffff) { __syncwarp(mask); }
inline __device__ unsigned int WARP_BALLOT(int predicate, unsigned int mask = 0xffffffff) { return __ballot_sync(mask, predicate); }
template <typename T> __device__ T WARP_SHFL(T value, int from, int width = 32, unsigned int mask = 0xffffffff) { return __shfl_sync(mask, value, from, width); }
template <typename T> __device__ T WARP_SHFL_XOR(T value, int lanes, int width = 32, unsigned int mask = 0xffffffff) { return __shfl_xor_sync(mask, value, lanes, width); }
template <typename T> __device__ T WARP_SHFL_UP(T value, unsigned int by, int width = 32, unsigned int mask = 0xffffffff) { return __shfl_up_sync(mask, value, by, width); }
template <typename T> __device__ T WARP_SHFL_DOWN(T value, unsigned int by, int width = 32, unsigned int mask = 0xffffffff) { return __shfl_down_sync(mask, value, by, width); }

// hip/amd_detail/amd_hip_runtime.h
#define HIP_DYNAMIC_SHARED(type, var) extern __shared__ type var[];

// stdint.h
#define UINT64_C(x) ((unsigned long long)(x))
#define INT64_C(x) ((long long)(x))
#define UINT32_C(x) ((unsigned)(x))

// cutlass/fast_math.h
namespace cutlass {

struct FastDivmod {
  int divisor;
  unsigned multiplier;
  unsigned shift_right;
  __device__ int div(int n) const { return n / divisor; }
  __device__ int rem(int n) const { return n % divisor; }
  __device__ int divide(int n) const { return n / divisor; }
  __device__ int divmod(int& rest, int n) const {
    rest = n % divisor;
    return n / divisor;
  }
  __device__ void operator()(int& quotient, int& rest, int n) const {
    quotient = n / divisor;
    rest = n % divisor;
  }
};

template <typename A, typename B> __device__ A ceil_div(A a, B b) { return (a + b - 1) / b; }
template <typename A, typename B> __device__ A round_up(A a, B b) { return (a + b - 1) / b * b; }

}  // namespace cutlass
