// Whoever has taken a lock has started, also where a lock is free at 1 and is taken in one function and given back in another.
__device__ void take(int& lock) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 1, 0) == 0) {
    }
  }
  __threadfence();
  __syncwarp();
}

__device__ void give(int& lock) {
  __threadfence();
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    atomicExch(&lock, 1);
  }
}

__global__ void entered(const int* keys, int* locks, int* counts, int n) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (int k = warp; k < n; k += gridDim.x * blockDim.x / 32) {
    take(locks[keys[k]]);
    counts[keys[k]] += 1;
    give(locks[keys[k]]);
  }
}

// Another CTA sets the word to what this one takes.
__global__ void handed_on(int* words, const int* in, int* out) {
  if (threadIdx.x == 0) {
    if (blockIdx.x % 2 == 0) {
      out[blockIdx.x] = in[blockIdx.x];
      __threadfence();
      atomicExch(&words[blockIdx.x / 2], 1);
    } else {
      while (atomicCAS(&words[blockIdx.x / 2], 1, 0) == 0) {  // want FP501 "this wait ends only if"
      }
      __threadfence();
      out[blockIdx.x] = out[blockIdx.x - 1];
    }
  }
}

// A table of the CTA's own: it looks for a free place, and for nobody.
__global__ void placed(const int* keys, int* out, int n) {
  __shared__ int room[512];
  int* table = (int*)room;
  for (int k = threadIdx.x; k < 512; k += blockDim.x) {
    table[k] = -1;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    int at = keys[k] % 512;
    while (true) {
      int old = atomicCAS(&table[at], -1, keys[k]);
      if (old == -1 || old == keys[k]) {
        break;
      }
      at = (at + 1) % 512;
    }
  }
  __syncthreads();
  out[blockIdx.x] = table[0];
}

void launch(const int* keys, int* locks, int* counts, int* words, const int* in, int* out, int blocks, int n) {
  entered<<<blocks, 128>>>(keys, locks, counts, n);
  handed_on<<<blocks, 32>>>(words, in, out);
  placed<<<blocks, 128>>>(keys, out, n);
}
