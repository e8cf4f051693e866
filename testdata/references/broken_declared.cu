// A name for rows of shared memory, declared as the grammar reads a call; nobody waits for who writes them.
// expect: violated race
// small: -
#include <cuda_bf16.h>
using half_wide = __nv_bfloat16;

struct Room {
  half_wide rows[2][64];
};

__global__ void mirrored(const half_wide* in, half_wide* out) {
  __shared__ Room room;
  half_wide(&rows)[2][64] = room.rows;
  rows[0][threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = rows[0][63 - threadIdx.x];  // want FP720
}

void run(const half_wide* in, half_wide* out) { mirrored<<<1, 64>>>(in, out); }
