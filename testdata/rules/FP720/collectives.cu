using Reduce = cub::BlockReduce<float, 128>;
using WarpSum = cub::WarpReduce<float>;
using Load = cub::BlockLoad<float, 128, 4, cub::BLOCK_LOAD_DIRECT>;

__global__ void rounds(float* out, const float* in, int n) {
  __shared__ typename Reduce::TempStorage storage;
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += Reduce(storage).Sum(in[i * 128 + threadIdx.x]);  // want FP720 "reads storage"
  if (threadIdx.x == 0) out[0] = sum;
}

__global__ void twice(float* out, const float* in) {
  __shared__ typename Reduce::TempStorage storage;
  float a = Reduce(storage).Sum(in[threadIdx.x]);  // want FP720 "reads storage"
  float b = Reduce(storage).Sum(in[128 + threadIdx.x]);
  if (threadIdx.x == 0) out[0] = a / b;
}

__global__ void twice_joined(float* out, const float* in) {
  __shared__ typename Reduce::TempStorage storage;
  float a = Reduce(storage).Sum(in[threadIdx.x]);
  __syncthreads();
  float b = Reduce(storage).Sum(in[128 + threadIdx.x]);
  if (threadIdx.x == 0) out[0] = a / b;
}

__global__ void apart(float* out, const float* in) {
  __shared__ typename Reduce::TempStorage first;
  __shared__ typename Reduce::TempStorage second;
  float a = Reduce(first).Sum(in[threadIdx.x]);
  float b = Reduce(second).Sum(in[128 + threadIdx.x]);
  if (threadIdx.x == 0) out[0] = a / b;
}

// Storage of a warp, and a load that needs none.
__global__ void others(float* out, const float* in, int n) {
  __shared__ typename WarpSum::TempStorage lanes[4];
  __shared__ typename Load::TempStorage loads;
  float x[4], sum = 0.0f;
  for (int i = 0; i < n; ++i) {
    Load(loads).Load(in + i * 512, x);
    sum += WarpSum(lanes[threadIdx.x / 32]).Sum(x[0] + x[1] + x[2] + x[3]);
    __syncwarp();
  }
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = sum;
}

// The class is a parameter of the template, the storage what the caller has.
template <typename Sums, typename Storage>
__device__ float feature(const float* in, int n, Storage* storage) {
  __shared__ float result;
  float sum = 0.0f;
  for (int i = 0; i < n; i += 128) {
    sum += Sums(storage->sums).Sum(in[i + threadIdx.x]);
  }
  if (threadIdx.x == 0) result = sum;
  __syncthreads();
  return result;
}

template <typename Sums, typename Storage>
__device__ float feature_joined(const float* in, int n, Storage* storage) {
  __shared__ float result;
  float sum = 0.0f;
  for (int i = 0; i < n; i += 128) sum += in[i + threadIdx.x];
  sum = Sums(storage->sums).Sum(sum);
  if (threadIdx.x == 0) result = sum;
  __syncthreads();
  return result;
}

// The round that uses the storage once more is the last one.
__global__ void last_round(float* out, const float* in, int n) {
  __shared__ typename Reduce::TempStorage storage;
  float sum = 0.0f;
  for (int i = 0;; ++i) {
    sum += Reduce(storage).Sum(in[i * 128 + threadIdx.x]);
    __syncthreads();
    if (i == n) {
      sum *= Reduce(storage).Sum(sum);
      break;
    }
  }
  if (threadIdx.x == 0) out[0] = sum;
}
