// What memory says which counts to read is kept in an array of the thread's own first; nothing orders these after the writes of others.
// expect: violated race
// small: -

__global__ void gather(const int* counts, const int* experts, int* out) {
  __shared__ int all[128];
  int chosen[4];
  for (int k = 0; k < 4; k++) chosen[k] = experts[blockIdx.x * 4 + k];
  all[threadIdx.x] = counts[threadIdx.x];
  int sum = 0;
  for (int k = 0; k < 4; k++) sum += all[chosen[k]];  // want FP720
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

void launch(const int* counts, const int* experts, int* out) { gather<<<8, 128>>>(counts, experts, out); }
