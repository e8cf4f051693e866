// CTAs that fall into one bucket take turns at its lock, which is given back behind a fence.
// expect: inconclusive
// small: -

struct Range {
  float least, most;
};

__global__ void __launch_bounds__(32) ranges(const float* in, volatile Range* table, int* locks, int buckets) {
  if (threadIdx.x == 0) {
    const int bucket = blockIdx.x % buckets;
    const float v = in[blockIdx.x];
    while (atomicCAS(&locks[bucket], 0, 1) != 0) {
    }
    __threadfence();
    if (v < table[bucket].least) table[bucket].least = v;
    if (v > table[bucket].most) table[bucket].most = v;
    __threadfence();
    atomicExch(&locks[bucket], 0);
  }
}

void run(const float* in, Range* table, int* locks, int buckets, int many) { ranges<<<many, 32>>>(in, table, locks, buckets); }
