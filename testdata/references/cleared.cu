// What a function returns by reference is set to zero: that is no declaration of a pure virtual function.
// expect: holds
// small: -
__device__ float& cell(float* row, int i) { return row[i]; }
__global__ void cleared(float* out) {
  __shared__ float row[128];
  int i = threadIdx.x;
  cell(row, i) = 0;
  __syncthreads();
  out[threadIdx.x] = row[127 - threadIdx.x];
}
void run(float* out) { cleared<<<1, 128>>>(out); }
