// Masks that were right for other lanes, or for lanes that are gone by now.
struct Codes {
  const unsigned char* of;
  const float* weight;
  int many;
};

template <int N>
struct Lanes {
  __device__ unsigned first() const { return (1u << N) - 1u; }
  __device__ unsigned mine() const { return first() << (threadIdx.x % 32 / N * N); }
};

template <int N>
__global__ void rows_of_first(const int* begin, const float* value, float* out, int rows) {
  const Lanes<N> lanes;
  for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / N; row < rows; row += gridDim.x * blockDim.x / N) {
    float sum = 0.0f;
    for (int k = begin[row] + threadIdx.x % N; k < begin[row + 1]; k += N) sum += value[k];
    for (int by = N / 2; by > 0; by /= 2) sum += __shfl_xor_sync(lanes.first(), sum, by, N);  // want FP412 "names lanes 0 to 7 only, and lane 8 executes it as well"
    if (threadIdx.x % N == 0) out[row] = sum;
  }
}

template <int N>
__global__ void rows_of_mine(const int* begin, const float* value, float* out, int rows) {
  const Lanes<N> lanes;
  for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / N; row < rows; row += gridDim.x * blockDim.x / N) {
    float sum = 0.0f;
    for (int k = begin[row] + threadIdx.x % N; k < begin[row + 1]; k += N) sum += value[k];
    for (int by = N / 2; by > 0; by /= 2) sum += __shfl_xor_sync(lanes.mine(), sum, by, N);
    if (threadIdx.x % N == 0) out[row] = sum;
  }
}

__global__ void voted_once(Codes codes, float* sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned there = __ballot_sync(0xffffffff, i < codes.many);
  while (i < codes.many) {
    const unsigned equal = __match_any_sync(there, codes.of[i]);  // want FP412 "names the lanes that voted before"
    if (__ffs(equal) - 1 == threadIdx.x % 32) atomicAdd(&sums[codes.of[i]], codes.weight[i] * __popc(equal));
    i += gridDim.x * blockDim.x;
  }
  __syncwarp();
  if (threadIdx.x % 32 == 0) atomicAdd(&sums[256], 1.0f);
}

__global__ void voted_each_time(Codes codes, float* sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned there = __ballot_sync(0xffffffff, i < codes.many);
  while (i < codes.many) {
    const unsigned equal = __match_any_sync(there, codes.of[i]);
    if (__ffs(equal) - 1 == threadIdx.x % 32) atomicAdd(&sums[codes.of[i]], codes.weight[i] * __popc(equal));
    i += gridDim.x * blockDim.x;
    there = __ballot_sync(there, i < codes.many);
  }
  __syncwarp();
  if (threadIdx.x % 32 == 0) atomicAdd(&sums[256], 1.0f);
}

__global__ void scores(const float* in, const int* length, float* out, int pitch) {
  const int list = blockIdx.x, lane = threadIdx.x % 32;
  float most = 0.0f;
  for (int at = lane; at < length[list]; at += 32) {
    float v = in[list * pitch + at];
    for (int by = 16; by > 0; by /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, by));  // want FP412 "those that leave the loop earlier than others do not come here"
    most = fmaxf(most, v);
  }
  for (int by = 16; by > 0; by /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, by));
  if (lane == 0) out[list] = most;
}

__global__ void whole_scores(const float* in, const int* length, float* out, int pitch) {
  const int list = blockIdx.x, lane = threadIdx.x % 32;
  float most = 0.0f;
  for (int from = 0; from < length[list]; from += 32) {
    float v = from + lane < length[list] ? in[list * pitch + from + lane] : 0.0f;
    for (int by = 16; by > 0; by /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, by));
    most = fmaxf(most, v);
  }
  if (lane == 0) out[list] = most;
}

void run(const int* begin, const float* value, float* out, int rows) {
  rows_of_first<8><<<64, 256>>>(begin, value, out, rows);
  rows_of_mine<8><<<64, 256>>>(begin, value, out, rows);
}
