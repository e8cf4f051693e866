// As cells.cu, with no barrier.
// expect: violated race
// small: -

#define own_cell cells[threadIdx.x]

__global__ void mirrored(const float* in, float* out) {
  __shared__ float cells[129];
#define sum cells[128]
  if (threadIdx.x == 0) sum = 0;
  own_cell = in[threadIdx.x];
  const float x = cells[127 - threadIdx.x] + sum * 2;
#undef sum
#define sum cells[0]
  out[threadIdx.x] = x + sum;
}

void run(const float* in, float* out) { mirrored<<<1, 128>>>(in, out); }
