// The heads of its loops are macros of a header that is not here: what stands behind them may run any number of times, or never.
// expect: inconclusive
// small: -
#include "loops_of_others.h"

__global__ void __launch_bounds__(128) reversed(const float* in, float* out, int n) {
  __shared__ float row[256];
  over_threads(i, n) { row[i] = in[i]; }
  over_threads(k, n) { out[k] = row[255 - k]; }
}
