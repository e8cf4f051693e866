// Names for cells of a shared array, one of them for another cell in the kernel behind the first, are macros without parameters.
// expect: holds
// small: -

#define own_cell cells[threadIdx.x]

__global__ void mirrored(const float* in, float* out) {
  __shared__ float cells[129];
#define sum cells[128]
  if (threadIdx.x == 0) sum = 0;
  own_cell = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = cells[127 - threadIdx.x] + sum * 2;
#undef sum
}

__global__ void shifted(const float* in, float* out) {
  __shared__ float cells[129];
#define sum cells[0]
  cells[threadIdx.x + 1] = in[threadIdx.x];
  if (threadIdx.x == 0) sum = 1;
  __syncthreads();
  out[threadIdx.x] = sum * cells[128 - threadIdx.x];
#undef sum
}

void run(const float* in, float* out) {
  mirrored<<<1, 128>>>(in, out);
  shifted<<<1, 128>>>(in, out);
}
