// How long a CTA's segment is stands in memory, and how much a thread weighs says a function that is not here: nothing keeps the next tile from overwriting the one that is read.
// expect: violated race
// small: -
__device__ float weight(int at);

__global__ void __launch_bounds__(128) smooth(const float* in, const int* begins, float* out) {
  __shared__ float tile[128];
  const float own = weight(threadIdx.x);
  for (int at = begins[blockIdx.x]; at < begins[blockIdx.x + 1]; at += 128) {
    tile[threadIdx.x] = in[at + threadIdx.x];
    __syncthreads();
    out[at + threadIdx.x] = own * (tile[threadIdx.x] + tile[(threadIdx.x + 1) % 128]);  // want FP720
  }
}

void run(const float* in, const int* begins, float* out, int segments) { smooth<<<segments, 128>>>(in, begins, out); }
