// Views that a kernel is handed, of a class that is not read: elements by two indices on both sides.
// expect: violated race
// small: -
#include "absent/view.h"

__global__ void mirror(View out, View in, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x][i] = in[blockIdx.x][i];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += out[blockIdx.x][n - 1 - i]; // want FP720
  in[blockIdx.x][threadIdx.x] = sum;
}

void launch(View out, View in) { mirror<<<8, 128>>>(out, in, 128); }
