// A loop counts by itself, and the threads that take part are those below what it counts with.
__global__ void halved(const float* in, float* out) {
  __shared__ float part[256];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (unsigned width = 128; width > 0; width >>= 1) {
    if (threadIdx.x < width) {
      part[threadIdx.x] += part[threadIdx.x + width];
      __syncthreads();  // want FP403 "by part of a warp only"
    }
  }
  if (threadIdx.x == 0) out[0] = part[0];
}

__global__ void halved_outside(const float* in, float* out) {
  __shared__ float part[256];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (unsigned width = 128; width > 0; width >>= 1) {
    if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = part[0];
}

// Whole warps take part until the last one is alone.
__global__ void halved_by_warps(const float* in, float* out) {
  __shared__ float part[256];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int width = 128; width >= 32; width /= 2) {
    if (threadIdx.x < width) {
      part[threadIdx.x] += part[threadIdx.x + width];
      __syncthreads();  // want FP403 "some threads of the CTA only"
    }
  }
  out[threadIdx.x] = part[threadIdx.x];
}

// The condition of the loop is the thread's.
__global__ void leaves(const float* in, float* out) {
  __shared__ float part[256];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (unsigned width = 128; threadIdx.x < width; width -= 32) {
    part[threadIdx.x] += part[threadIdx.x + 128];
    __syncthreads();  // want FP403 "some threads of the CTA only"
  }
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void widened(const float* in, float* out) {
  __shared__ float part[256];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (unsigned step = 1; step < 256; step *= 2) {
    if (threadIdx.x % (2 * step) == 0) {
      part[threadIdx.x] += part[threadIdx.x + step];
      __syncthreads();  // want FP403 "by part of a warp only"
    }
  }
  if (threadIdx.x == 0) out[0] = part[0];
}

// Two loops count: an execution shows who comes.
__global__ void counted_twice(const float* in, float* out) {
  __shared__ float part[256];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int a = 4; a > 0; a--) {
    for (int b = 4; b > 2; b -= 2) {
      if (threadIdx.x < a * b * 8) {
        part[threadIdx.x] += part[threadIdx.x + 128];
        __syncthreads();  // want FP403 "less often than by others"
      }
    }
  }
  if (threadIdx.x == 0) out[0] = part[0];
}

// All threads are below it in all rounds.
__global__ void all_below(const float* in, float* out) {
  __shared__ float part[256];
  float sum = 0;
  for (unsigned width = 1024; width >= 256; width /= 2) {
    if (threadIdx.x < width) {
      part[threadIdx.x] = in[threadIdx.x + width];
      __syncthreads();
      sum += part[threadIdx.x ^ 1];
      __syncthreads();
    }
  }
  out[threadIdx.x] = sum;
}

// The rounds in which it would divide them are left before.
__global__ void left_before_it_divides(const float* in, float* out) {
  __shared__ float part[256];
  float sum = 0;
  for (unsigned width = 1024; width > 0; width /= 2) {
    if (width < 256) break;
    if (threadIdx.x < width) {
      part[threadIdx.x] = in[threadIdx.x + width];
      __syncthreads();
      sum += part[threadIdx.x ^ 1];
      __syncthreads();
    }
  }
  out[threadIdx.x] = sum;
}

void launches(const float* in, float* out) {
  halved<<<1, 256>>>(in, out);
  halved_outside<<<1, 256>>>(in, out);
  halved_by_warps<<<1, 256>>>(in, out);
  leaves<<<1, 256>>>(in, out);
  widened<<<1, 256>>>(in, out);
  counted_twice<<<1, 256>>>(in, out);
  all_below<<<1, 256>>>(in, out);
  left_before_it_divides<<<1, 256>>>(in, out);
}

// Threads retire one after the other, in as many rounds as the launch says.
__global__ void retired(const float* in, float* out, int sections) {
  __shared__ float part[256];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int n = 0; n < sections; n++) {
    if (threadIdx.x > n) {
      sum += part[threadIdx.x - 1];
      __syncthreads();  // want FP403 "some threads of the CTA only"
    }
  }
  out[threadIdx.x] = sum;
}

__global__ void retired_together(const float* in, float* out, int sections) {
  __shared__ float part[256];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int n = 0; n < sections; n++) {
    if (threadIdx.x > n) sum += part[threadIdx.x - 1];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
