// expect: holds
// small: -
// Each lane takes what the lane across the warp has put down; all of the warp have met before.
#include <cooperative_groups.h>

namespace groups = cooperative_groups;

template <int Size>
__device__ void together()
{
    groups::tiled_partition<Size>(groups::this_thread_block()).sync();
}

__global__ void across(const float *in, float *out)
{
    __shared__ float rows[3][32];
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32;
    rows[row][lane] = in[threadIdx.x];
    together<32>();
    out[threadIdx.x] = rows[row][31 - lane];
}

void run(const float *in, float *out) { across<<<1, 96>>>(in, out); }
