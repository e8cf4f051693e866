// What shifted does is not known, but lanes ask for it apart from each other: it waits for nobody, and the second time it does not either.
// expect: violated race
// small: -
__device__ float3 shifted(float3 a, float3 b);

__global__ void __launch_bounds__(128) bonds(const float3* at, const int2* pairs, float* out, float2* sums) {
  __shared__ float part[128];
  int2 pair = pairs[threadIdx.x];
  float3 d = make_float3(0.f, 0.f, 0.f);
  if (pair.x >= 0) {
    d = shifted(at[pair.x], at[pair.y]);
  }
  part[threadIdx.x] = d.x;
  __syncthreads();
  float other = part[127 - threadIdx.x];
  atomicAdd(&sums[threadIdx.x % 2], make_float2(d.x, other));
  float3 e = shifted(d, at[threadIdx.x]);
  part[threadIdx.x] = e.x * other;  // want FP720
  __syncthreads();
  out[threadIdx.x] = part[127 - threadIdx.x];
}
void run(const float3* at, const int2* pairs, float* out, float2* sums) { bonds<<<1, 128>>>(at, pairs, out, sums); }
