// A macro that makes a whole kernel, without the barrier: what is wrong stands where it is used.
// expect: violated race
// small: -
#define EXTENT 64
#define MIRROR(kind, type)                                                        \
  extern "C" __global__ void __launch_bounds__(EXTENT) mirror_##kind(const type* in, type* out) { \
    __shared__ type tile[EXTENT];                                                 \
    tile[threadIdx.x] = in[threadIdx.x];                                          \
    out[threadIdx.x] = tile[EXTENT - 1 - threadIdx.x];                            \
  }

namespace made {
MIRROR(single, float) // want FP720
}

void run(const float* in, float* out) { made::mirror_single<<<1, 64>>>(in, out); }
