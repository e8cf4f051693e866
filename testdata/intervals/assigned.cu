// Which rows are read memory says, for all threads alike; each thread keeps their numbers.
// expect: inconclusive
// small: -
__device__ int counted(int row);

__global__ void __launch_bounds__(128) scatter(const int* rows, const float* in, float* out, int n) {
  __shared__ int starts[128];
  int mine[2];
  for (int i = 0; i < 2; i++) mine[i] = rows[blockIdx.x * 2 + i];
  bool none = true;
  for (int i = 0; i < 2; i++)
    if (mine[i] >= 0) none = false;
  if (none) return;
  if (threadIdx.x < n) starts[threadIdx.x] = counted(threadIdx.x);
  __syncthreads();
  for (int i = 0; i < 2; i++) {
    int at = mine[i] > 0 ? starts[mine[i] - 1] : 0;
    out[at * 128 + threadIdx.x] = in[(blockIdx.x * 2 + i) * 128 + threadIdx.x];
  }
}
void run(const int* rows, const float* in, float* out, int n) { scatter<<<64, 128>>>(rows, in, out, n); }
