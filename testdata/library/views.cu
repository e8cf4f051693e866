// Layouts and views of CuTe are put together between the write and the read, for which nobody waits.
// expect: inconclusive
// small: -
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>

__global__ void between(const float* in, float* out, int rows) {
  __shared__ float part[256];
  part[threadIdx.x] = in[threadIdx.x];
  auto shape = cute::make_shape(rows, cute::Int<16>{});
  auto all = cute::make_tensor(cute::make_gmem_ptr(in), cute::make_layout(shape, cute::make_stride(cute::Int<16>{}, cute::Int<1>{})));
  auto mine = cute::local_tile(all, cute::make_shape(cute::Int<1>{}, cute::Int<16>{}), cute::make_coord(threadIdx.x / 16, cute::_));
  auto first = mine(cute::_, cute::Int<0>{});
  float more = cute::size(first.layout()) > 0 ? 1.0f : 0.0f;
  __syncthreads();
  out[threadIdx.x] = part[threadIdx.x ^ 32] + more;
}

void launch(const float* in, float* out, int rows) { between<<<1, 256>>>(in, out, rows); }
