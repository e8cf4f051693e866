// Each thread looks through all keys, and counts those that are its own: the key is where it counts, and no other thread comes there.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(128) owners(const int* keys, const int* valid, int* counts) {
  __shared__ int part[128];
  part[threadIdx.x] = 0;
  for (int i = 0; i < 500; ++i) {
    const int key = keys[i];
    if (valid[i])
      if (key == threadIdx.x) part[key] += 1;
  }
  counts[blockIdx.x * 128 + threadIdx.x] = part[threadIdx.x];
}
