// As many instances as are looked at have two slots, and the text launches these first. With one slot the next row waits for all to have read.
// expect: inconclusive
// small: -
#include <cuda_runtime.h>

template <int STEP, int SLOTS> __global__ void __launch_bounds__(128) reversed(const float* in, float* out, int rows) {
  __shared__ float kept[SLOTS][128];
  const int tid = threadIdx.x;
  for (int row = 0; row < rows; row += STEP) {
    const int slot = row / STEP % SLOTS;
    kept[slot][tid] = in[row * 128 + tid];
    __syncthreads();
    out[row * 128 + tid] = kept[slot][127 - tid];
    if constexpr (SLOTS == 1) __syncthreads();
  }
}

void run(const float* in, float* out, int rows, int step, bool twice) {
  if (twice) {
    switch (step) {
      case 1: reversed<1, 2><<<1, 128>>>(in, out, rows); break;
      case 2: reversed<2, 2><<<1, 128>>>(in, out, rows); break;
      case 3: reversed<3, 2><<<1, 128>>>(in, out, rows); break;
      case 4: reversed<4, 2><<<1, 128>>>(in, out, rows); break;
      case 5: reversed<5, 2><<<1, 128>>>(in, out, rows); break;
      case 6: reversed<6, 2><<<1, 128>>>(in, out, rows); break;
      case 7: reversed<7, 2><<<1, 128>>>(in, out, rows); break;
      case 8: reversed<8, 2><<<1, 128>>>(in, out, rows); break;
      case 9: reversed<9, 2><<<1, 128>>>(in, out, rows); break;
      case 10: reversed<10, 2><<<1, 128>>>(in, out, rows); break;
      case 11: reversed<11, 2><<<1, 128>>>(in, out, rows); break;
      case 12: reversed<12, 2><<<1, 128>>>(in, out, rows); break;
      case 16: reversed<16, 2><<<1, 128>>>(in, out, rows); break;
      case 24: reversed<24, 2><<<1, 128>>>(in, out, rows); break;
    }
  } else {
    switch (step) {
      case 1: reversed<1, 1><<<1, 128>>>(in, out, rows); break;
      case 2: reversed<2, 1><<<1, 128>>>(in, out, rows); break;
      case 3: reversed<3, 1><<<1, 128>>>(in, out, rows); break;
      case 4: reversed<4, 1><<<1, 128>>>(in, out, rows); break;
      case 5: reversed<5, 1><<<1, 128>>>(in, out, rows); break;
      case 6: reversed<6, 1><<<1, 128>>>(in, out, rows); break;
      case 7: reversed<7, 1><<<1, 128>>>(in, out, rows); break;
      case 8: reversed<8, 1><<<1, 128>>>(in, out, rows); break;
      case 9: reversed<9, 1><<<1, 128>>>(in, out, rows); break;
      case 10: reversed<10, 1><<<1, 128>>>(in, out, rows); break;
      case 11: reversed<11, 1><<<1, 128>>>(in, out, rows); break;
      case 12: reversed<12, 1><<<1, 128>>>(in, out, rows); break;
      case 16: reversed<16, 1><<<1, 128>>>(in, out, rows); break;
      case 24: reversed<24, 1><<<1, 128>>>(in, out, rows); break;
    }
  }
}
