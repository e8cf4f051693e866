// Names for cells of a shared array, one of them for another cell in what stands behind, are macros without parameters.
// expect: holds
// small: -

#define own_cell cells[threadIdx.x]

__global__ void mirrored(const float* in, float* out) {
  __shared__ float cells[129];
#define sum cells[128]
  if (threadIdx.x == 0) sum = 0;
  own_cell = in[threadIdx.x];
  __syncthreads();
  const float x = cells[127 - threadIdx.x] + sum * 2;
#undef sum
#define sum cells[0]
  out[threadIdx.x] = x + sum;
}

void run(const float* in, float* out) { mirrored<<<1, 128>>>(in, out); }
