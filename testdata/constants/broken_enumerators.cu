// Enumerators of two namespaces have one name: threads of the narrow one do not meet.
// expect: violated race
// small: -

namespace wide {
enum { kWarps = 8 };
}

namespace narrow {
enum { kWarps = 1 };
__device__ int warps() { return kWarps; }
}

namespace narrow {
__global__ void mirrored(const float* in, float* out) {
  __shared__ float row[256];
  row[threadIdx.x] = in[threadIdx.x];
  if (warps() > 1) __syncthreads();
  out[threadIdx.x] = row[255 - threadIdx.x];  // want FP720
}
}

void launch(const float* in, float* out) { narrow::mirrored<<<1, 256>>>(in, out); }
