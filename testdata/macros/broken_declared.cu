// A macro without parameters declares an array: it is no cell of one.
// expect: inconclusive
// reason: PLACES, a macro that is not expanded
// small: -

#define PLACES kept[64]

__global__ void mirrored(const float* in, float* out) {
  __shared__ float PLACES;
  kept[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = kept[63 - threadIdx.x];
}

void run(const float* in, float* out) { mirrored<<<1, 64>>>(in, out); }
