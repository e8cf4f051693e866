// As counted.cu, without the barrier before the thread that reads how many there are.
// expect: inconclusive
// small: -
__device__ int key_of(const int* rows, int row);

__global__ void __launch_bounds__(128) gather(int* locks, const int* rows, int* total, int count) {
  __shared__ int places, most;
  if (threadIdx.x == 0) places = most = 0;
  __syncthreads();
  int row = key_of(rows, threadIdx.x);
  if (threadIdx.x < count) {
    while (atomicCAS(&locks[threadIdx.x], 0, 1) != 0) {
    }
    __threadfence();
    if (threadIdx.x % 32 == 0) atomicAdd(&places, row);
    if (row > most) atomicMax(&most, row);
    atomicExch(&locks[threadIdx.x], 0);
  }
  if (threadIdx.x == 0) total[blockIdx.x] = places;
}

void run(int* locks, const int* rows, int* total, int count) { gather<<<8, 128>>>(locks, rows, total, count); }
