// How far the loop goes is rounded up to a multiple of what the threads of a part take at once: all leave it in the same round. With the bound as it is given they do not.
__global__ void rounded(const float* in, float* out, int n, int each, int rounds) {
  __shared__ float part[256];
  float sum = 0;
  int end = n;
  if (end % each != 0) end = each * (1 + end / each);
  for (int i = threadIdx.x % each; i < end; i += each * rounds) {
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    sum += part[threadIdx.x ^ 1];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void given(const float* in, float* out, int n, int each, int rounds) {
  __shared__ float part[256];
  float sum = 0;
  for (int i = threadIdx.x % each; i < n; i += each * rounds) {
    part[threadIdx.x] = in[i];
    __syncthreads();  // want FP403 "in a loop that some threads of the CTA may leave earlier than others"
    sum += part[threadIdx.x ^ 1];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
