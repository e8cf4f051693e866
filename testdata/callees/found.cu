// Whether a lane counts, a function that stands elsewhere says, after data have said whether it is asked; one thread takes the count behind a barrier.
// expect: inconclusive
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
  __syncthreads();
  if (threadIdx.x == 0 && fresh > 0) atomicAdd(total, fresh);
}

void run(const int* table, const int* keys, int* total, int n) { count_new<<<32, 128>>>(table, keys, total, n); }
