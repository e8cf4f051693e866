// The first thread waits until it is told, or gives up, and may be the last that is needed; the others meet it, or what is left.
// expect: holds open=race-grid
// small: -

__global__ void __launch_bounds__(64) takes(const int* in, int* out, int* turn, int lines) {
  if (threadIdx.x == 0) {
    const int next = turn[0] + 1;
    if (lines == 0) {
      turn[0] = next;
      return;
    }
  }
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x];
}
