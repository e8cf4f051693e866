// Which counts a thread reads is kept in an array of its own first: they are those that it has written, whatever else is there.
// expect: holds open=race-grid
// small: -

__global__ void gather(const int* counts, const int* experts, int* out) {
  __shared__ int all[128];
  int chosen[4];
  for (int k = 0; k < 4; k++) chosen[k] = threadIdx.x + (k > experts[blockIdx.x] ? 0 : 0);
  all[threadIdx.x] = counts[threadIdx.x];
  int sum = 0;
  for (int k = 0; k < 4; k++) sum += all[chosen[k]];
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

void launch(const int* counts, const int* experts, int* out) { gather<<<8, 128>>>(counts, experts, out); }
