// Threads put their numbers where a table says and read where another says, with no barrier in between: which places meet
// only the tables tell.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(128) scatter(const int* to, const int* from, float* out) {
  __shared__ float buffer[128];
  buffer[threadIdx.x] = 0.0f;
  __syncthreads();
  buffer[to[threadIdx.x] & 127] = 1.0f;
  out[threadIdx.x] = buffer[from[threadIdx.x] & 127];
}

void run(const int* to, const int* from, float* out) { scatter<<<1, 128>>>(to, from, out); }
