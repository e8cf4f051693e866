// A mask of five lanes where the whole warp comes: in a method behind a barrier of the CTA, and by the value handed on.
struct Tile {
  __device__ void load(float* smem) {
    __syncthreads();
    int row = __shfl_sync(0xf, threadIdx.y, 0);  // want FP412 "leaves out its own lane 4"
    smem[row] = 0;
  }
  __device__ int number() {
    return __shfl_sync(0x1f, threadIdx.x / 32, 0);  // want FP412 "leaves out its own lane"
  }
};

// Who calls a helper is not known, so a small mask may be right.
__device__ float quad(float v) {
  v += __shfl_xor_sync(0xf, v, 1);
  return v + __shfl_xor_sync(0xf, v, 2);
}

__global__ void first_lanes(float* out, float v) {
  int lane = threadIdx.x & 31;
  if (lane < 4) out[lane] = quad(v);
  if (lane < 8) out[lane] = __shfl_sync(0xff, v, 0);
  if (lane < 8) out[lane] = __shfl_sync(0xf, v, 0);  // want FP412 "leaves out its own lane"
  if (lane < 8) __syncwarp(0xffff);  // want FP412 "lanes 0 to 15, and lane 8 never comes here"
}

__global__ void leader(int* out, int v) {
  if (threadIdx.x % 32 == 0) {
    out[0] = __ballot_sync(0xffffffff, v);  // want FP412 "all lanes, and lane 1 never comes here"
  }
}

// A condition on the warp, on data, or on numbers that the launch decides says nothing about lanes.
__global__ void others(int* out, const int* flags, int v, int n) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) out[0] = __any_sync(0xffffffff, v);
  if (threadIdx.x < 64) out[1] = __any_sync(0xffffffff, v);
  if (threadIdx.x < n) out[2] = __any_sync(0xffffffff, v);
  if (threadIdx.x < blockDim.x / 32) out[3] = __any_sync(0xffffffff, v);
  if (flags[lane]) out[4] = __any_sync(0xff, v);
  for (int i = lane; i < n; i += 32) out[i] = __any_sync(0xffffffff, v);
}

// The lanes of both sides make one collective.
__global__ void sides(float* out, float v) {
  if (threadIdx.x % 32 < 16) {
    out[0] = __shfl_xor_sync(0xffffffff, v, 16);
  } else {
    out[1] = __shfl_xor_sync(0xffffffff, v, 16);
  }
}

// Lanes that have left are not waited for.
__global__ void left(float* out, float v) {
  if (threadIdx.x >= 16) return;
  out[threadIdx.x] = __shfl_xor_sync(0xffffffff, v, 8);
}

// Half a warp is all there is.
__global__ void small(float* out, float v) { out[threadIdx.x] = __shfl_xor_sync(0xffff, v, 8); }
void run(float* out) { small<<<1, 16>>>(out, 1.0f); }

// What a template builds goes with who calls it.
template <bool kWhole>
__device__ int share(int v) {
  if constexpr (kWhole) return __shfl_sync(0xffffffff, v, 0);
  return v;
}
__global__ void one(int* out, int v) {
  if (threadIdx.x == 0) out[0] = share<false>(v);
}

// A row of a CTA may be eight threads long.
__global__ void rows(float* out, float v) {
  __shared__ float sums[16];
  __syncthreads();
  if (threadIdx.y == 0) out[threadIdx.x] = __shfl_down_sync(0xff, v, 4);
}

// The tile of a CTA may be beyond the end: no lane goes on alone, and more of them than five.
struct Swizzle {
  __device__ int number(int tile, Bound bound) {
    if (bound.m() <= tile) return 0;
    return __shfl_sync(0x1f, threadIdx.x / 32, 0);  // want FP412 "leaves out its own lane 5"
  }
};

// Never run.
__global__ void never(int* out) {
  if (threadIdx.x > 9999) __syncwarp();
}

// A bound lets lanes through, as far as the grid reaches; half a warp is told from the other by its number. What is called stands in another file.
__device__ float elsewhere(int i);

__global__ void bounded(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i] + elsewhere(i);
  for (int d = 8; d > 0; d /= 2) v += __shfl_xor_sync(0xffff, v, d);  // want FP412 "leaves out its own lane 16"
  out[i] = v;
}

__global__ void bounded_half(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i] + elsewhere(i);
  if (threadIdx.x % 32 < 16) v += __shfl_xor_sync(0xffff, v, 8);
  out[i] = v;
}

__global__ void bounded_few(float* out, const float* in, int n) {
  float v = elsewhere(n);
  if (threadIdx.x >= 8) return;
  if (threadIdx.x < n) v += in[threadIdx.x];
  v += __shfl_xor_sync(0xff, v, 4);
  out[threadIdx.x] = v;
}

// Some CTAs return early, as a call says of which nothing is known: that they do not come there says nothing of the mask.
template <typename Places>
struct Worker {
  __device__ void operator()(const Places& places, float* out) {
    auto place = places.find(blockIdx.x);
    if (places.rows() <= place.row() || places.columns() <= place.column()) return;
    int warp = __shfl_sync(0x1f, threadIdx.x / 32, 0);  // want FP412 "leaves out its own lane"
    __syncthreads();
    out[threadIdx.x] = warp;
  }
  __device__ void all(const Places& places, float* out) {
    auto place = places.find(blockIdx.x);
    if (places.rows() <= place.row() || places.columns() <= place.column()) return;
    int warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0);
    __syncthreads();
    out[threadIdx.x] = warp;
  }
};

// A constant that is made of a name which nothing read defines is a number, and may be that of a warp.
namespace sizes {
inline constexpr int of_warp = SIZES_OF_WARP;
}

struct Voter {
  __device__ void vote(int* out, int n) {
    int all = 0;
    if (threadIdx.x < sizes::of_warp) all = __all_sync(0xffffffff, n > 3);
    __syncthreads();
    out[threadIdx.x] = all;
  }
};
