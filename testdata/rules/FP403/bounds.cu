// Each thread looks after one item, and the barrier is inside the check of its bound.
__global__ void item(const float* in, float* out, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    part[threadIdx.x] = in[i];
    __syncthreads();  // want FP403 "only by the threads that pass a check of their bound"
    out[i] = part[threadIdx.x ^ 32];
    __syncthreads();
  }
}

__global__ void item_with_work_checked(const float* in, float* out, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) part[threadIdx.x] = in[i];
  __syncthreads();
  if (i < n) out[i] = part[threadIdx.x ^ 32];
}

__global__ void left_before(const float* in, float* out, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;  // threads that have left are not waited for
  part[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = part[threadIdx.x];
}

// The bound comes from memory, and the window moves on by a CTA.
__global__ void window(const float* in, float* out, const int* count) {
  __shared__ float part[256];
  int first = 0;
  while (first < *count) {
    if (threadIdx.x + first < *count && in[threadIdx.x + first] > 0) {
      part[threadIdx.x] = in[threadIdx.x + first];
      __syncthreads();  // want FP403 "only by the threads that pass a check of their bound"
      out[threadIdx.x + first] = part[threadIdx.x];
    }
    first += blockDim.x;
  }
  __syncthreads();
}

__global__ void window_of_group(const float* in, float* out, int n) {
  auto const block = cg::this_thread_block();
  auto const rank = block.thread_rank();
  auto const step = lib::grid_threads() / 2;
  auto i = lib::global_thread_id() / 2;
  __shared__ float part[256];
  while (i - rank < n) {
    if (i < n) {
      part[rank] = in[i];
      block.sync();
      out[i] = part[rank];
    }
    i += step;
  }
}

// Some threads go round more often than others.
__global__ void each_own_round(const float* in, float* out, int n) {
  __shared__ float part[256];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    part[threadIdx.x] = in[i];
    __syncthreads();  // want FP403 "in a loop that some threads of the CTA may leave earlier"
    out[i] = part[threadIdx.x];
  }
}

__global__ void rows(const float* in, float* out, int n) {
  for (int first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
    int i = first + threadIdx.x;
    if (i < n) stage(in, i);
    __syncthreads();
    if (i < n) out[i] = staged(i);
    __syncthreads();
  }
}

// The bound is rounded: all threads go round equally often.
__global__ void rounded(const float* in, float* out, int n) {
  int const whole = n - n % blockDim.x;
  for (int i = threadIdx.x; i < whole; i += blockDim.x) {
    stage(in, i);
    __syncthreads();
  }
  int const up = (n + blockDim.x - 1) / blockDim.x * blockDim.x;
  for (int i = threadIdx.x; i < up; i += blockDim.x) {
    if (i < n) stage(in, i);
    __syncthreads();
  }
}

// A constant, or a count of whole tiles, may well fit the CTA.
template <int kItems>
__global__ void fits(const float* in, int tiles, int n) {
  for (int i = threadIdx.x; i < kItems; i += blockDim.x) {
    stage(in, i);
    __syncthreads();
  }
  for (int i = threadIdx.x; i < tiles * 128; i += 128) {
    stage(in, i);
    __syncthreads();
  }
  if (threadIdx.x < blockDim.x) {
    __syncthreads();
  }
  if (blockIdx.x * 4 < n) {
    __syncthreads();
  }
}

__global__ void either_half(const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    stage(in, i);
    __syncthreads();
  } else {
    __syncthreads();
  }
}

// A collective of the CTA has barriers of its own.
__global__ void scanned(const int* in, int* out, int n) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Scan::TempStorage space;
  int i = blockIdx.x * 128 + threadIdx.x;
  int sum = 0;
  if (i < n) {
    Scan(space).ExclusiveSum(in[i], sum);  // want FP403 "only by the threads that pass a check of their bound"
    out[i] = sum;
  }
}

// The storage of the collective is read whole; threads that have left have put nothing into it.
__device__ float largest(float x) {
  typedef cub::BlockReduce<float, 128> BlockReduce;
  __shared__ typename BlockReduce::TempStorage space;
  return BlockReduce(space).Reduce(x, Larger<float>());  // want FP403 "expected none to have returned before it"
}

__global__ void reduced(const float* in, float* out, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = largest(in[i]);
  if (threadIdx.x == 0) out[blockIdx.x] = x;
}

__global__ void reduced_with_all(const float* in, float* out, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  float x = largest(i < n ? in[i] : -1.0f);
  if (i >= n) return;
  out[i] = x;
}

__global__ void reduced_by_whole_ctas(const float* in, float* out, long n) {
  if (blockIdx.x >= n) return;
  float x = largest(in[blockIdx.x * blockDim.x + threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = x;
}

// Leaving a loop, or a helper, is not leaving the kernel.
__global__ void until_the_end(const float* in, float* out, int n) {
  for (int first = 0; ; first += blockDim.x) {
    int i = first + threadIdx.x;
    if (i >= n) break;
    stage(in, i);
    __syncthreads();  // want FP403 "in a loop that some threads of the CTA may leave earlier"
    out[i] = staged(i);
  }
  __syncthreads();
}

__device__ void exchange(float* part, float* out, int i, int n) {
  if (i >= n) return;
  part[threadIdx.x] = out[i];
  __syncthreads();  // want FP403 "only by the threads that pass a check of their bound"
  out[i] = part[threadIdx.x ^ 32];
}

__global__ void in_helper(float* out, int n) {
  __shared__ float part[256];
  exchange(part, out, blockIdx.x * blockDim.x + threadIdx.x, n);
  __syncthreads();
}

__global__ void goes_on(const float* in, float* out, int n) {
  for (int first = 0; first < n; first += blockDim.x) {
    int i = first + threadIdx.x;
    if (i >= n) continue;
    stage(in, i);
    __syncthreads();  // want FP403 "only by the threads that pass a check of their bound"
    out[i] = staged(i);
  }
}

// The check of a helper that no kernel of this file calls.
struct rows_of {
  __device__ void operator()(const float* in, int count) const {
    auto all = cooperative_groups::this_thread_block();
    int i = threadIdx.x;
    if (i < count) {
      stage(in, i);
      all.sync();  // want FP403 "by part of a warp only"
    }
  }
};

__device__ void of_one_thread(const float* in, int i, int count) {
  if (i < count) {  // what the caller hands over may be the same for all
    stage(in, i);
    __syncthreads();
  }
}

// What decides has been read by each thread for itself.
__global__ void marked(const int* mark, const int* row_mark, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int const own = mark[i];
  if (own > 0) {
    stage(out, i);
    __syncthreads();  // want FP403 "data of their own"
  }
  if (mark[blockIdx.x] > 0) {
    stage(out, i);
    __syncthreads();
  }
  if (__syncthreads_or(mark[i])) {
    stage(out, i);
    __syncthreads();
  }
  if (row_mark[threadIdx.y] > 0) {  // one row of threads only, it may be
    stage(out, i);
    __syncthreads();
  }
}
