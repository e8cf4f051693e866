// Thread 0 of a CTA of two axes writes, all threads fence, and it counts behind a barrier; a shuffle tells its warp.
// expect: silent
typedef float* Floats;

__device__ bool sum_of_all(float value, unsigned* scratch, unsigned* counted, float* total) {
  const int id = threadIdx.y * blockDim.x + threadIdx.x;
  if (id == 0) {
    Floats mine = ((Floats)scratch) + blockIdx.x;
    *mine = value;
  }
  __threadfence();
  __syncthreads();
  bool last = false;
  if (id < 32) {
    unsigned count;
    if (id == 0) count = Kokkos::atomic_fetch_add(counted, 1); 
    count = __shfl_sync(0xffffffff, count, 0);
    if (count == gridDim.x - 1) {
      last = true;
      Floats const volatile all = (Floats)scratch;
      float sum = 0.0f;
      for (int i = id; i < gridDim.x; i += 32) {
        float part = all[i];
        sum += part;
      }
      total[id] = sum;
    }
  }
  return last;
}
