// As voted.cu, but lanes go through the row before all have put theirs there.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(128) sums_of_wanted(const int* begin, const int* column, const float* weight, const int* wanted, float* out, int rows) {
  __shared__ int columns[128];
  __shared__ float weights[128];
  const int first = threadIdx.x / 32 * 32, lane = threadIdx.x % 32;
  for (int row = blockIdx.x * 4 + threadIdx.x / 32; row < rows; row += gridDim.x * 4) {
    float sum = 0;
    const int end = begin[row + 1];
    for (int at = begin[row] + lane; __any_sync(0xffffffff, at < end); at += 32) {
      const bool take = at < end && wanted[column[at]] != 0;
      const unsigned takers = __ballot_sync(0xffffffff, take);
      const int place = first + __popc(takers & ((1u << lane) - 1));
      if (take) {
        columns[place] = column[at];
        weights[place] = weight[at];
      }
      for (int k = first; k < first + __popc(takers); k++) sum += weights[k] * (columns[k] % 32 == lane);
      __syncwarp();
    }
    out[row * 32 + lane] = sum;
  }
}

void run(const int* begin, const int* column, const float* weight, const int* wanted, float* out, int rows) {
  sums_of_wanted<<<64, 128>>>(begin, column, weight, wanted, out, rows);
}
