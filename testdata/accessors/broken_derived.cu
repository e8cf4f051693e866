// Rows of a tensor that an accessor derived from ATen's gives, as long as another tensor says: nothing keeps the partial sums of the next block of a row from being written while those of the last are read.
// expect: violated race
// small: -
#include <torch/extension.h>

template <typename T, size_t N>
class Checked : public at::GenericPackedTensorAccessorBase<T, N, at::RestrictPtrTraits, int> {
 public:
  Checked(T* data, const int* sizes, const int* strides, const char* name);
  __device__ auto operator[](int i) const;

 protected:
  char name_[16];
};

template <typename scalar_t>
__global__ void sum_rows(Checked<scalar_t, 2> rows, Checked<int, 1> lengths, Checked<scalar_t, 1> sums) {
  __shared__ float partial[4];
  const int length = lengths[blockIdx.x];
  if (length <= 0) return;
  auto row = rows[blockIdx.x];
  float sum = 0;
  for (int block = 0; block < (length + 127) / 128; block++) {
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = row[block * 128 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) sum += partial[0] + partial[1] + partial[2] + partial[3];  // want FP720
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

void launch(Checked<float, 2> rows, Checked<int, 1> lengths, Checked<float, 1> sums, int n) { sum_rows<float><<<n, 128>>>(rows, lengths, sums); }
