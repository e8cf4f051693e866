// expect: holds
// A part of main.cu: what its types and sizes are stands before the place where it is included.
__global__ void dots(const Point* in, REAL* out) {
  __shared__ Point s[THREADS];
  REAL sum = 0;
  s[threadIdx.x] = in[blockIdx.x * THREADS + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < THREADS; i++) sum += DOT(s[i], s[threadIdx.x]);
  out[blockIdx.x * THREADS + threadIdx.x] = sum;
}
