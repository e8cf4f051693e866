// A block-stride loop in which all threads go round as often, and the last round's surplus threads only skip the copy.
// expect: holds
// small: -
__global__ void __launch_bounds__(128) gather(const float* in, float* out, int n) {
  __shared__ float buffer[128];
  for (int first = 0; first < n; first += 128) {
    const int i = first + threadIdx.x;
    __syncthreads();
    buffer[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (i < n) {
      out[i] = buffer[threadIdx.x ^ 1];
    }
  }
}

void run(const float* in, float* out, int n) { gather<<<1, 128>>>(in, out, n); }
