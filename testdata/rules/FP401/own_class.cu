// A class of the file's own has the name of a library's, and its arguments in another order.
struct NamedBarrier {
  static __device__ void sync(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
};

__global__ void halves(const float* in, float* out) {
  __shared__ float part[256];
  const int half = threadIdx.x / 128;
  part[threadIdx.x] = in[threadIdx.x];
  NamedBarrier::sync(1 + half, 128);
  out[threadIdx.x] = part[threadIdx.x ^ 64];
}

void run(const float* in, float* out) { halves<<<1, 256>>>(in, out); }
