// A function of the text has the name of CUDA's, takes vectors, and calls CUDA's for their parts.
// expect: holds open=race-grid
// small: -
static __device__ void atomicAdd(float3* to, float3 v) {
  atomicAdd(&to->x, v.x);
  atomicAdd(&to->y, v.y);
  atomicAdd(&to->z, v.z);
}

__global__ void __launch_bounds__(64) forces(const float3* in, float3* out) {
  __shared__ float3 force[64];
  force[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  atomicAdd(&out[threadIdx.x], force[63 - threadIdx.x]);
}

void run(const float3* in, float3* out) { forces<<<16, 64>>>(in, out); }
