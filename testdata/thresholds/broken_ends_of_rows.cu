// A row of an array of all rows is gone through backwards, from where the next one begins: nothing keeps threads from writing a tile while others read the one before, which only a row of more than a tile shows.
// expect: violated race
// small: -

__global__ void sum_rows(const float* values, float* sums, const int* begins) {
  __shared__ float tile[128 * 2];
  const int begin = begins[blockIdx.x], end = begins[blockIdx.x + 1];
  const unsigned rounds = (end - begin + 255) / 128, rank = threadIdx.x;
  float sum = 0;
  for (unsigned round = 0; round < rounds; round++) {
    const int at = end - 1 - 128 * round - rank;
    if (at >= begin) {
      tile[rank * 2] = values[at * 2];  // want FP720
      tile[rank * 2 + 1] = values[at * 2 + 1];  // want FP720
    }
    __syncthreads();
    for (unsigned other = 0; other < min(128, end - 128 * round - begin); other++) sum += tile[other * 2] * tile[other * 2 + 1];
  }
  sums[blockIdx.x * 128 + rank] = sum;
}

void launch(const float* values, float* sums, const int* begins) { sum_rows<<<8, 128>>>(values, sums, begins); }
