// A loop goes over numbers that are listed: each round a barrier before and one behind what the others read.
// expect: holds
// small: -

#define WIDE 32

__global__ void folded(const float* in, float* out) {
  __shared__ float row[128];
  float sum = 0;
  for (const int step : {WIDE, WIDE / 2, 1}) {
    row[threadIdx.x] = in[threadIdx.x * step];
    __syncthreads();
    sum += row[(threadIdx.x + step) % 128];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

void run(const float* in, float* out) { folded<<<1, 128>>>(in, out); }
