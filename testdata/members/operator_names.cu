// Operators of the object at hand that are called by their names.
// expect: holds
// small: -
struct Pair {
  float kept[2];
  __device__ float& operator[](int i) { return kept[i]; }
  __device__ float operator()(int i) const { return kept[i]; }
  __device__ void fill(const float* from) {
    for (int i = 0; i < 2; ++i) operator[](i) = from[i];
  }
  __device__ float sum() { return operator()(0) + operator[](1); }
};
__global__ void summed(float* out, const float* in) {
  __shared__ float row[128];
  Pair pair;
  pair.fill(in + 2 * threadIdx.x);
  row[threadIdx.x] = pair.sum();
  __syncthreads();
  out[threadIdx.x] = row[127 - threadIdx.x];
}
void run(float* out, const float* in) { summed<<<1, 128>>>(out, in); }
