// Functions whose words before them nobody defines are the device's by what they call, destructors may have the arguments of their class, and the size of a tile may be a constant of a class that is not there.
#include <cooperative_groups.h>

template <class T>
struct Kept {
  int count;
  __host__ __device__ ~Kept<T>() {
    if (count > 0) count = 0;
  }
  operator T() { return T(count); }
  __device__ T far(T v) {
    __shared__ T row[128];
    __syncthreads();
    row[threadIdx.x] = v;
    return row[threadIdx.x ^ 32];  // want FP720 "reads row"
  }
};

template <class Ref>
__global__ void __launch_bounds__(128) tiled(Ref ref, float* out) {
  namespace cg = cooperative_groups;
  __shared__ float row[128];
  auto constexpr width = Ref::width;
  auto const block = cg::this_thread_block();
  auto const tile = cg::tiled_partition<width>(block);
  row[threadIdx.x] = tile.meta_group_rank();  // want FP720 "writes row"
  tile.sync();
  out[threadIdx.x] = row[127 - threadIdx.x];
}

template <class Ref>
__global__ void __launch_bounds__(128) tiled_joined(Ref ref, float* out) {
  namespace cg = cooperative_groups;
  __shared__ float row[128];
  auto constexpr width = Ref::width;
  auto const block = cg::this_thread_block();
  auto const tile = cg::tiled_partition<width>(block);
  row[threadIdx.x] = tile.meta_group_rank();
  block.sync();
  out[threadIdx.x] = row[127 - threadIdx.x];
}
