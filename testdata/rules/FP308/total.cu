#include <cooperative_groups.h>

__device__ float weight_sum;

// Every CTA adds to one word, and CTA 0 takes it for the whole.
__global__ void loss(const float* score, const int* hits, float* scratch, float* out, int rows, int cols, float factor) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    scratch[0] = factor / rows;
  }
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
      sum += score[r * cols + c] * hits[c];
    }
  }
  const int warp = threadIdx.x / WARP_SIZE;
  if (warp == 0) {
    atomicAdd(&scratch[1], sum * scratch[0]);  // want FP308 "by CTAs that nothing makes wait"
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    out[0] = static_cast<float>(scratch[1]);  // want FP308 "may still add to it"
  }
}

__global__ void normalize(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&weight_sum, x[i]);
  __syncthreads();
  x[i] = x[i] / weight_sum;  // want FP308 "may still add to it"
}

// The whole grid meets between the two.
__global__ void together(float* x, float* total, int n) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, x[i]);
  grid.sync();
  if (i < n) x[i] = x[i] / total[0];
}

// The last CTA reads, known by the size of the grid.
__global__ void last(const float* x, float* total, unsigned* finished, float* out, int n) {
  __shared__ bool done;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, x[i]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    done = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (done) {
    out[threadIdx.x] = total[0];
  }
}

// Each CTA has a word of its own.
__global__ void own(const float* x, float* totals, float* out, int n) {
  float* total = totals + blockIdx.x;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    atomicAdd(total, x[blockIdx.x * n + i]);
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = total[0] / n;
}

// One CTA is the whole grid.
__global__ void small(const float* x, float* total, float* out) {
  atomicAdd(total, x[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = x[threadIdx.x] / total[0];
}

void launch(const float* x, float* total, float* out) { small<<<1, 256>>>(x, total, out); }

// The look at the word is a guess, and the atomic after it decides.
__global__ void best(const int* x, int* most, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicMax(most, x[i]);
  const int seen = most[0];
  atomicMax(most, seen + x[i]);
}

// What is read was there before this kernel.
__global__ void before(const float* x, float* total, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float old = total[0];
  if (i < n) {
    out[i] = x[i] - old;
    atomicAdd(total, x[i]);
  }
}

// A word that another CTA raises tells when to read.
__global__ void told(const float* x, float* total, const int* ready, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, x[i]);
  __syncthreads();
  if (ready[0] != 0) {
    out[i] = total[0];
  }
}

// Another word of the array is read.
__global__ void other(const float* x, float* sums, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sums[0], x[i]);
  __syncthreads();
  if (blockIdx.x == 0) out[threadIdx.x] = sums[1];
}

// CTA 0 alone uses what CTA 0 wrote.
__global__ void alone(float* scratch, float* out, float a, float b) {
  if (blockIdx.x == 0 && threadIdx.x == 0) scratch[0] = a / b;
  __syncthreads();
  if (blockIdx.x == 0) out[threadIdx.x] = scratch[0];
}

// Value and flag are one word, and the first look at it is part of the wait.
__global__ void packed(long long* words, long long* out) {
  if (blockIdx.x == 0) {
    words[threadIdx.x] = 3;
    return;
  }
  long long word = *(volatile long long*)(words + threadIdx.x);
  while ((word & 1) == 0) {
    word = *(volatile long long*)(words + threadIdx.x);
  }
  out[threadIdx.x] = word;
}

// It never asks which CTA it is: it is made for one.
__global__ void single(int* arrived, int* out, int rank) {
  if (threadIdx.x == 0) atomicAdd(arrived + rank, -1);
  __syncthreads();
  out[threadIdx.x] = arrived[rank];
}
