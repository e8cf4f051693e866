// As in stored.cu: a round begins to put its values where the one before still reads.
// expect: violated race
// small: -

#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>

__global__ void __launch_bounds__(128) turned(const int* a, int* b, int n) {
  using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ typename Load::TempStorage loading;
  __shared__ typename Store::TempStorage storing;
  __shared__ int s[128];
  int v[4];
  for (int k = 0; k < n; k++) {
    Load(loading).Load(a, v);
    s[threadIdx.x] = v[0];
    __syncthreads();
    v[0] = s[127 - threadIdx.x];  // want FP720
    Store(storing).Store(b, v);
    a += 512, b += 512;
  }
}
