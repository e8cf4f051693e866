// The mask is of the lanes that voted for something, and all lanes come with it.
__device__ float greatest(unsigned lanes, float v) {
  for (int by = 16; by > 0; by /= 2) v = fmaxf(v, __shfl_xor_sync(lanes, v, by));  // want FP412 "names the lanes that voted for something, and those that did not execute it as well"
  return v;
}

__global__ void of_voters(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool has = i < n;
  const unsigned lanes = __ballot_sync(0xffffffff, has);
  const float v = greatest(lanes, has ? in[i] : 0.0f);
  if (threadIdx.x % 32 == 0) out[i / 32] = v;
}

__global__ void from_first(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lanes = __ballot_sync(0xffffffff, in[i] > 0.0f);
  if (lanes == 0) return;
  out[i] = __shfl_sync(lanes, in[i], __ffs(lanes) - 1);  // want FP412 "names the lanes that voted for something, and those that did not execute it as well"
}

__global__ void from_first_to_all(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lanes = __ballot_sync(0xffffffff, in[i] > 0.0f);
  if (lanes == 0) return;
  out[i] = __shfl_sync(0xffffffff, in[i], __ffs(lanes) - 1);
}

__global__ void among_voters(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lanes = __ballot_sync(0xffffffff, i < n);
  if (i >= n) return;
  out[i] = __shfl_sync(lanes, in[i], 0);
}

__global__ void warps_vote(const float* in, float* out, int n) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned lanes = __ballot_sync(0xffffffff, warp >= 0);
  out[warp * 32 + threadIdx.x % 32] = __shfl_sync(lanes, in[warp], 0);
}

void run(const float* in, float* out, int n) {
  of_voters<<<n, 256>>>(in, out, n);
  from_first<<<n, 256>>>(in, out);
  from_first_to_all<<<n, 256>>>(in, out);
  among_voters<<<n, 256>>>(in, out, n);
  warps_vote<<<n, 256>>>(in, out, n);
}
