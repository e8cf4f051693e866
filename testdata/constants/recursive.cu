// A static constant of a class template is made of that of another instance, as often as its number has bits, and each asks for it more than once.
// expect: holds
// small: -
template <unsigned A, unsigned B, unsigned M>
struct Product {  // A * B modulo M, without a number of more bits
  static const unsigned half = Product<A / 2, (B >= M - B ? B + B - M : B + B), M>::value;
  static const unsigned value = A & 1 ? (B >= M - half ? B + half - M : B + half) : half;
};
template <unsigned B, unsigned M>
struct Product<0, B, M> {
  static const unsigned value = 0;
};

template <unsigned Step>
__device__ unsigned ahead(unsigned x) {
  const unsigned by = Product<Step, 0x4beb5d59u, 3666320093u>::value;
  return x > 3666320093u - by ? x + by - 3666320093u : x + by;
}

__global__ void sums(const float* in, float* out, unsigned seed) {
  __shared__ float part[256];
  unsigned x = ahead<0x9e3779b9u>(seed + threadIdx.x);
  part[threadIdx.x] = in[threadIdx.x] * x;
  __syncthreads();
  float sum = part[threadIdx.x ^ 32];
  __syncthreads();
  part[threadIdx.x] = sum;
  __syncthreads();
  out[threadIdx.x] = part[threadIdx.x ^ 64];
}

void launches(const float* in, float* out) {
  sums<<<1, 256>>>(in, out, 1);
}
