// How many each thread takes is computed by a function of a file that is not there, of what all threads have alike: it waits for nobody, and the counters are not yet zero when others count.
// expect: violated race
// small: -
#include "quotient.cuh"

__global__ void __launch_bounds__(128) counts(const int* kinds, int* out, int items) {
  __shared__ int many[4][8];
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) {
    for (int k = 0; k < 8; ++k) many[warp][k] = 0;
  }
  const int each = quotient_up(items, blockDim.x);
  for (int k = threadIdx.x * each; k < items && k < (threadIdx.x + 1) * each; ++k) atomicAdd(&many[kinds[k] / 8][kinds[k] % 8], 1);  // want FP720
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = many[threadIdx.x / 8][threadIdx.x % 8];
}

void run(const int* kinds, int* out, int items) { counts<<<1, 128>>>(kinds, out, items); }
