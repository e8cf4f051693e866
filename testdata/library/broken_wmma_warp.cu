// expect: violated race
// small: -
// A tile of A and of B is staged by all warps; each warp multiplies a strip of it, and its lanes scale the result in shared memory.
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) strips(const half* a, const half* b, float* c, int tiles) {
  __shared__ half sa[64][24];
  __shared__ half sb[16][24];
  __shared__ float sc[4][16][20];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int tile = 0; tile < tiles; tile++) {
    for (int i = threadIdx.x; i < 64 * 16; i += 128) sa[i / 16][i % 16] = a[tile * 1024 + i];
    for (int i = threadIdx.x; i < 16 * 16; i += 128) sb[i / 16][i % 16] = b[tile * 256 + i];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::load_matrix_sync(fa, &sa[warp * 16][0], 24);
    wmma::load_matrix_sync(fb, &sb[0][0], 24);
    wmma::mma_sync(sum, fa, fb, sum);
    __syncthreads();
  }
  for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 2.0f;
  wmma::store_matrix_sync(&sc[warp][0][0], sum, 20, wmma::mem_row_major);
  if (lane < 16) {
    float row = 0;
    for (int k = 0; k < 16; k++) row += sc[warp][lane][k];
    c[blockIdx.x * 64 + warp * 16 + lane] = row;
  }
}
