// As beside_own.cu, without the barrier.
// expect: violated race
// small: -
static __device__ void atomicAdd(float3* to, float3 v) {
  atomicAdd(&to->x, v.x);
  atomicAdd(&to->y, v.y);
  atomicAdd(&to->z, v.z);
}

__global__ void __launch_bounds__(64) forces(const float3* in, float3* out) {
  __shared__ float3 force[64];
  force[threadIdx.x] = in[threadIdx.x];
  atomicAdd(&out[threadIdx.x], force[63 - threadIdx.x]);  // want FP720
}

void run(const float3* in, float3* out) { forces<<<16, 64>>>(in, out); }
