// A macro that makes a whole kernel: it is read where it is used, by the name that is pasted there.
// expect: holds
// small: -
#define EXTENT 64
#define MIRROR(kind, type)                                                        \
  extern "C" __global__ void __launch_bounds__(EXTENT) mirror_##kind(const type* in, type* out) { \
    __shared__ type tile[EXTENT];                                                 \
    tile[threadIdx.x] = in[threadIdx.x];                                          \
    __syncthreads();                                                              \
    out[threadIdx.x] = tile[EXTENT - 1 - threadIdx.x];                            \
  }

namespace made {
MIRROR(single, float)
}

void run(const float* in, float* out) { made::mirror_single<<<1, 64>>>(in, out); }
