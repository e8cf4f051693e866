// Rows of a tensor that accessors of ATen give, as long as another tensor says: the partial sums of a block of a row are read before those of the next are written.
// expect: holds open=race-grid
// small: -
#include <torch/extension.h>

template <typename scalar_t>
__global__ void sum_rows(torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> rows, torch::PackedTensorAccessor32<int, 1, torch::RestrictPtrTraits> lengths,
                         at::PackedTensorAccessor32<scalar_t, 1> sums) {
  __shared__ float partial[4];
  const int length = lengths[blockIdx.x];
  if (length <= 0) return;
  auto row = rows[blockIdx.x];
  float sum = 0;
  for (int block = 0; block < (length + 127) / 128; block++) {
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = row[block * 128 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) sum += partial[0] + partial[1] + partial[2] + partial[3];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

void launch(at::Tensor rows, at::Tensor lengths, at::Tensor sums) {
  sum_rows<float><<<rows.size(0), 128>>>(rows.packed_accessor32<float, 2, torch::RestrictPtrTraits>(), lengths.packed_accessor32<int, 1, torch::RestrictPtrTraits>(),
                                         sums.packed_accessor32<float, 1>());
}
