// A function of a number is that of CUDA, and not one for objects that a number could be made into, whatever its name is.
// expect: holds
// small: -
struct Small {
  unsigned short bits;
  __device__ Small(float v) : bits(v) {}
  __device__ operator float() const { return bits; }
};
namespace std {
__device__ inline Small sqrt(Small v) { return std::sqrt(static_cast<float>(v)); }
}
__global__ void rooted(float* out, const float* in) {
  __shared__ float row[128];
  row[threadIdx.x] = std::sqrt(in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = row[127 - threadIdx.x] + std::sqrt(Small(2.0f));
}
void run(float* out, const float* in) { rooted<<<1, 128>>>(out, in); }
