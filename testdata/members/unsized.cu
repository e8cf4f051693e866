// How many cells an object has stands in a file that is not there: it lies apart from what is declared behind it.
// expect: inconclusive
// small: -

#include "cells_of.h"

struct Room {
  float cells[kCellsOf];
};

__global__ void __launch_bounds__(128) kept(const float* in, float* out) {
  __shared__ Room room;
  __shared__ float last[128];
  last[threadIdx.x] = in[threadIdx.x];
  room.cells[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = last[threadIdx.x] + room.cells[threadIdx.x];
}
