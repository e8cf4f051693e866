// As in found.cu: the count is taken before all have counted.
// expect: violated race
// small: -

struct Entry { int key; bool is_new; };
__device__ Entry find(const int* table, int key);

__global__ void count_new(const int* table, const int* keys, int* total, int n) {
  __shared__ int fresh;
  if (threadIdx.x == 0) fresh = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (keys[i] >= 0) {
      Entry e = find(table, keys[i]);
      if (e.is_new) atomicAdd(&fresh, 1);
    }
  }
  if (threadIdx.x == 0 && fresh > 0) atomicAdd(total, fresh);  // want FP720
}

void run(const int* table, const int* keys, int* total, int n) { count_new<<<32, 128>>>(table, keys, total, n); }
