// Enumerators of two namespaces have one name: threads of the wide one meet.
// expect: holds
// small: -

namespace narrow {
enum { kThreads = 32 };
}

namespace wide {
enum { kThreads = 256 };
__device__ int threads() { return kThreads; }
}

namespace wide {
__global__ void mirrored(const float* in, float* out) {
  __shared__ float row[256];
  row[threadIdx.x] = in[threadIdx.x];
  if (threads() > 32) __syncthreads();
  out[threadIdx.x] = row[255 - threadIdx.x];
}
}

void launch(const float* in, float* out) { wide::mirrored<<<1, 256>>>(in, out); }
