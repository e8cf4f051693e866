// Thread 0 keeps a number in a member of a record in shared memory, and the others read it with no barrier between.
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
    row.left = in[0];
  }
  out[threadIdx.x] = row.left;
  __syncthreads();
}

void run(int* out, const int* in) { members<<<1, 128>>>(out, in); }
