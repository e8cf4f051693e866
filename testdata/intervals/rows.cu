// Where there are no rows nothing in the loop lets the threads meet; what is written before it is read behind it, and how many rows there are is the same both times that it is asked for.
// expect: inconclusive
// small: -
#include <cstdint>
struct Rows { uint32_t found; uint32_t rows; uint32_t lengths[64]; };
__device__ int marked(const int* flags, int i);

__global__ void __launch_bounds__(128) count(const int* flags, uint32_t rows, uint32_t* out) {
  __shared__ Rows s;
  if (threadIdx.x == 0) s.rows = rows;
  __syncthreads();
  if (threadIdx.x == 0) s.found = 0;
  if (s.rows <= 0) __syncthreads();
  for (uint32_t i = 0; i < s.rows; i += 128) {
    int is = marked(flags, i + threadIdx.x);
    if (threadIdx.x < 64) s.lengths[threadIdx.x] = is;
    __syncthreads();
    if (threadIdx.x == 0) s.found += s.lengths[0] + s.lengths[63];
    __syncthreads();
  }
  out[threadIdx.x] = s.found;
}
void run(const int* flags, uint32_t rows, uint32_t* out) { count<<<1, 128>>>(flags, rows, out); }
