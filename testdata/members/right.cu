// Thread 0 keeps a number in a member of a record in shared memory, by name and by a method, and all read it behind a barrier.
// expect: holds
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
    row.keep(in[1]);
  }
  __syncthreads();
  out[threadIdx.x] = row.left + row.kept();
}

void run(int* out, const int* in) { members<<<1, 128>>>(out, in); }
