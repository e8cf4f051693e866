// What the launch gives makes all threads of a CTA pass: one row of threads, and a bound that is a multiple of the block.

__device__ void mix(float* row, int n);  // of another file

__global__ void rows(const float* in, float* out, int height, int width) {
  __shared__ float line[256];
  const int y = blockIdx.y * blockDim.y + threadIdx.y, x = threadIdx.x;
  if (y < height) {
    line[x] = in[y * width + x];
    mix(line, width);
    __syncthreads();
    out[y * width + x] = line[255 - x];
  }
}

__global__ void steps(float* keys, int size) {
  __shared__ float all[1024];
  mix(all, size);
  for (int i = threadIdx.x; i < size; i += 128) {
    keys[i] = all[size - 1 - i];
    __syncthreads();
  }
}

__global__ void uneven_steps(float* keys, int size) {
  __shared__ float all[1024];
  mix(all, size);
  for (int i = threadIdx.x; i < size; i += 128) {
    keys[i] = all[size - 1 - i];
    __syncthreads();  // want FP403 "leave earlier"
  }
}

void launch(const float* in, float* out, int height, int width) {
  const dim3 block(256), grid(1, height);
  rows<<<grid, block>>>(in, out, height, width);
  steps<<<1, 128>>>(out, 1024);
  uneven_steps<<<1, 128>>>(out, 1000);
}
