// What is compiled with other numbers than those that are guessed first: nobody says what the templates are given.
template <int Rows, int Lanes>
__device__ void flipped(float* row, float& v) {
  row[threadIdx.x] = v;  // want FP720 "writes row"
  __syncthreads();
  v = row[127 - threadIdx.x];
}

template <int Rows, int Lanes>
__global__ void __launch_bounds__(128) unequal(float* out) {
  __shared__ float row[128];
  float v = out[threadIdx.x];
  if (Rows != Lanes) {
    flipped<Rows, Lanes>(row, v);
    flipped<Rows, Lanes>(row, v);
  }
  out[threadIdx.x] = v;
}

template <int Rows, int Lanes>
__global__ void __launch_bounds__(128) unequal_joined(float* out) {
  __shared__ float row[128];
  float v = out[threadIdx.x];
  if (Rows != Lanes) {
    flipped<Rows, Lanes>(row, v);
    __syncthreads();
    flipped<Rows, Lanes>(row, v);
  }
  out[threadIdx.x] = v;
}

template <int Width>
__global__ void __launch_bounds__(128) single(float* out) {
  __shared__ float row[128];
  if constexpr (Width == 1) {
    row[threadIdx.x] = out[threadIdx.x];
    out[threadIdx.x] = row[127 - threadIdx.x];  // want FP720 "reads row"
    __syncthreads();
  }
}

// With one warp there is no barrier: how many threads there are then, the number says.
template <int Warps>
__global__ void counted(float* out) {
  __shared__ float row[1024];
  row[threadIdx.x] = out[threadIdx.x];
  if (Warps > 1) {
    __syncthreads();
  } else {
    __syncwarp();
  }
  out[threadIdx.x] = row[threadIdx.x ^ 31];
}
