// What lanes take is not defined however the exchange is spelled: of values of 64 bits, without a mask as before CUDA 9, by a collective of a library.
__global__ void wide(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double v = in[i];
    for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffff, v, by);  // want FP412 "takes what lanes have that fail a check of their bound"
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
  }
}

__global__ void wide_of_all(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = i < n ? in[i] : 0.0;
  for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffff, v, by);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

__global__ void older(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = in[i];
    for (int by = 16; by > 0; by /= 2) v += __shfl_down(v, by);  // want FP412 "takes what lanes have that fail a check of their bound"
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
  }
}

__global__ void older_of_all(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0.0f;
  for (int by = 16; by > 0; by /= 2) v += __shfl_down(v, by);
  if (__any(v > 0.0f) && threadIdx.x % 32 == 0) atomicAdd(out, v);
}

__global__ void folded(const double* in, double* out, int n) {
  auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double v = cooperative_groups::reduce(warp, in[i], cooperative_groups::plus<double>());  // want FP412 "takes what lanes have that fail a check of their bound"
    if (warp.thread_rank() == 0) atomicAdd(out, v);
  }
}

__global__ void summed(const float* in, float* out, int n) {
  using Sum = cub::WarpReduce<float>;
  __shared__ typename Sum::TempStorage space[8];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = Sum(space[threadIdx.x / 32]).Sum(in[i]);  // want FP412 "takes what lanes have that fail a check of their bound"
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

__global__ void summed_up_to(const float* in, float* out, int n) {
  using Scan = cub::WarpScan<float>;
  __shared__ typename Scan::TempStorage space[8];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = 0.0f;
  Scan(space[threadIdx.x / 32]).InclusiveSum(in[i], v);
  out[i] = v;
}

// The first of sixteen lanes takes what the seventeenth has, whoever calls.
template <typename F>
__device__ float fold(float v, F f) {
  for (int by = 16; by > 0; by /= 2) v = f(v, __shfl_down_sync(0xffff, v, by));  // want FP412 "leaves out its own lane 16"
  return v;
}

__global__ void half_of(const float* in, float* out, int n) {
  if (threadIdx.x % 32 < 16) {
    float v = in[threadIdx.x];
    v += __shfl_down_sync(0xffff, v, 16);  // want FP412 "takes what lane 16 has"
    for (int by = 8; by > 0; by /= 2) v += __shfl_down_sync(0xffff, v, by);
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
  }
}

void run(const float* in, float* out, const double* wide_in, double* wide_out, int n) {
  wide<<<n, 256>>>(wide_in, wide_out, n);
  wide_of_all<<<n, 256>>>(wide_in, wide_out, n);
  older<<<n, 256>>>(in, out, n);
  older_of_all<<<n, 256>>>(in, out, n);
  folded<<<n, 256>>>(wide_in, wide_out, n);
  summed<<<n, 256>>>(in, out, n);
  summed_up_to<<<n, 256>>>(in, out, n);
  half_of<<<n, 256>>>(in, out, n);
}
