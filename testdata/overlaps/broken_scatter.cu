// Each thread writes the element of global memory that the data name, two of them perhaps the same.
// expect: inconclusive
// small: -
__global__ void scatter(const int* to, int* out) {
  out[to[threadIdx.x]] = threadIdx.x;
}

void run(const int* to, int* out) { scatter<<<1, 128>>>(to, out); }
