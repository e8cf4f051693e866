// What decides may be held as a number, chosen on the way, or stand on either side of the comparison.
struct Work {
  float* of;
};

__global__ void held(float* out, int n) {
  int i = threadIdx.x;
  int last = i == n - 1;
  if (last) {
    out[i] = 1.0f;
    __syncthreads();  // want FP403 "some threads of the CTA only"
    out[i] = 2.0f;
  }
}

__global__ void marked(float* out, int n) {
  int i = threadIdx.x;
  bool has = true;
  if (i >= n) has = false;
  if (has) {
    out[i] = 1.0f;
    __syncthreads();  // want FP403 "only by the threads that pass a check of their bound"
  }
}

__global__ void rounds(float* out, int n) {
  int i = threadIdx.x;
  int more = i < n ? 3 : 2;
  for (int r = 0; r < more; r++) {
    out[i + r * 256] = r;
    __syncthreads();  // want FP403 "in a loop that some threads of the CTA may leave earlier"
  }
}

__global__ void any_rounds(float* out, int n) {
  int i = threadIdx.x;
  int more = i < n ? 3 : 2;
  if (more > 0) {
    out[i] = 1.0f;
    __syncthreads();
  }
  __syncthreads();
}

__global__ void same_kind(float* out, int mode) {
  int kind = mode == 1 ? 2 : 3;
  if (kind == 2) {
    out[threadIdx.x] = 1.0f;
    __syncthreads();
  }
  __syncthreads();
}

__global__ void difference(float* out, int n) {
  int i = threadIdx.x;
  if (n - i > 0) {
    out[i] = 1.0f;
    __syncthreads();  // want FP403 "only by the threads that pass a check of their bound"
  }
}

__global__ void own_part(float* out, int n) {
  int each = (n + blockDim.x - 1) / blockDim.x, first = threadIdx.x * each, end = min(first + each, n);
  for (int k = first; k < end; k++) {
    out[k] = 1.0f;
    __syncthreads();  // want FP403 "in a loop that some threads of the CTA may leave earlier"
  }
}

__global__ void part_of_cta(float* out, int n) {
  int first = blockIdx.x * 256, end = min(first + 256, n);
  for (int k = first; k < end; k += 64) {
    if (k + threadIdx.x < end) out[k + threadIdx.x] = 1.0f;
    __syncthreads();
  }
}

// What remains behind the tiles before: their number times their size fits, and what they are taken from does not.
__global__ void remainder(const float* in, float* out, int n) {
  __shared__ float part[64];
  int tiles = n / 64, left = n - (blockIdx.x + tiles) * 64;
  if (blockIdx.y == gridDim.y - 1 && threadIdx.x < left) {
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();  // want FP403 "only by the threads that pass a check of their bound"
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x] = part[threadIdx.x ^ 1];
  }
}

__global__ void whole_tiles(const float* in, float* out, int n) {
  __shared__ float part[64];
  int left = n * 64 - blockIdx.x * 64;
  if (blockIdx.y == gridDim.y - 1 && threadIdx.x < left) {
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x] = part[threadIdx.x ^ 1];
  }
  __syncthreads();
}

// Data of their own are compared as floating-point numbers, too; a ticket is another one for each.
__global__ void greater(const float* in, float* out, float than) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > than) {
    out[i] = 1.0f;
    __syncthreads();  // want FP403 "data of their own"
  }
  __syncthreads();
}

__global__ void until_found(const float* in, float* out, float what) {
  bool found = false;
  for (int k = threadIdx.x; !found; k += blockDim.x) {
    float v = in[k];
    __syncthreads();  // want FP403 "data of their own"
    if (v == what) found = true;
  }
  __syncthreads();
}

__global__ void all_found(const float* in, float* out, float what) {
  bool found = false;
  for (int k = threadIdx.x; !__syncthreads_and(found); k += blockDim.x) {
    if (in[k] == what) found = true;
  }
}

__global__ void of_all(const float* in, float* out, float than) {
  if (in[blockIdx.x] > than) {
    out[threadIdx.x] = 1.0f;
    __syncthreads();
  }
}

__global__ void ticket(float* out, unsigned* taken) {
  unsigned mine = atomicAdd(taken, 1);
  if (mine == gridDim.x * blockDim.x - 1) {
    *taken = 0;
    __syncthreads();  // want FP403 "data of their own"
  }
  __syncthreads();
}

__global__ void ticket_of_cta(float* out, unsigned* taken) {
  __shared__ bool last;
  if (threadIdx.x == 0) last = atomicAdd(taken, 1) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    out[threadIdx.x] = 1.0f;
    __syncthreads();
    out[255 - threadIdx.x] += 1.0f;
  }
}

// Leaving a helper that is the last thing the kernel does is leaving the kernel.
__device__ void row(float* part, float* out, int i, int n) {
  if (i >= n) return;
  part[threadIdx.x] = out[i];
  __syncthreads();
  out[i] = part[threadIdx.x];
}

__global__ void of_row(float* out, int n) {
  __shared__ float part[256];
  row(part, out, blockIdx.x * blockDim.x + threadIdx.x, n);
}

void run(Work w, const float* in, unsigned* taken, int n) {
  held<<<1, 256>>>(w.of, n);
  marked<<<1, 256>>>(w.of, n);
  rounds<<<1, 256>>>(w.of, n);
  any_rounds<<<1, 256>>>(w.of, n);
  same_kind<<<1, 256>>>(w.of, n);
  difference<<<1, 256>>>(w.of, n);
  own_part<<<1, 256>>>(w.of, n);
  part_of_cta<<<n, 256>>>(w.of, n);
  remainder<<<dim3(n, n), 64>>>(in, w.of, n);
  whole_tiles<<<dim3(n, n), 64>>>(in, w.of, n);
  greater<<<n, 256>>>(in, w.of, 1.0f);
  until_found<<<1, 256>>>(in, w.of, 1.0f);
  all_found<<<1, 256>>>(in, w.of, 1.0f);
  of_all<<<n, 256>>>(in, w.of, 1.0f);
  ticket<<<n, 256>>>(w.of, taken);
  ticket_of_cta<<<n, 256>>>(w.of, taken);
  of_row<<<n, 256>>>(w.of, n);
}
