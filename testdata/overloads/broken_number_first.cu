// As number_first.cu, without the barrier.
// expect: violated race
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
  out[threadIdx.x] = row[127 - threadIdx.x] + std::sqrt(Small(2.0f));
}
void run(float* out, const float* in) { rooted<<<1, 128>>>(out, in); }
