// As parts.cu, but threads count while others still clear bins.
// expect: inconclusive
// small: -
struct Part {
  int first, bins;
};

__global__ void __launch_bounds__(192) counts_of_parts(const Part* parts, const int* values, int* out, int n) {
  extern __shared__ int counts[];
  const Part part = parts[blockIdx.y];
  for (int bin = threadIdx.x; bin < part.bins; bin += blockDim.x) counts[bin] = 0;
  for (int at = blockIdx.x * 192 + threadIdx.x; at < n; at += gridDim.x * 192) {
    const int value = values[at];
    if (value >= 0) atomicAdd(&counts[value - part.first], 1);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < part.bins; bin += blockDim.x) atomicAdd(&out[part.first + bin], counts[bin]);
}

void run(const Part* parts, const int* values, int* out, int n, int most) { counts_of_parts<<<dim3(16, 4), 192, most * sizeof(int)>>>(parts, values, out, n); }
