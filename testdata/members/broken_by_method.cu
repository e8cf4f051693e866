// Thread 0 keeps a number in a record in shared memory by a method, and the others read it by another with no barrier between.
// expect: violated race
// small: -
struct Row {
  int left;
  int most;
  __device__ void keep(int v) { most = v; }
  __device__ int kept() const { return most; }
};

__global__ void members(int* out, const int* in) {
  __shared__ Row row;
  if (threadIdx.x == 0) {
    row.keep(in[0]);
  }
  out[threadIdx.x] = row.kept();
  __syncthreads();
}

void run(int* out, const int* in) { members<<<1, 128>>>(out, in); }
