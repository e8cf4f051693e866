// Elements of the array that the ticket is put into are made of each other; who draws the last one reads what all have fenced.
// expect: holds open=order,race,race-grid
// small: -

__global__ void sums(const int* in, int* part, int* next, int* out) {
  __shared__ int row[128];
  part[blockIdx.x * 64 + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  row[2 * threadIdx.x + 1] = 0;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    const int drawn = atomicAdd(next, 1);
    row[0] = row[1];
    row[0] += drawn;
  }
  __syncthreads();
  if (row[0] == gridDim.x - 1) {
    __threadfence();
    for (int k = 0; k < gridDim.x; k++) out[k * 64 + threadIdx.x] = part[k * 64 + 63 - threadIdx.x];
  }
}

void run(const int* in, int* part, int* next, int* out) { sums<<<32, 64>>>(in, part, next, out); }
