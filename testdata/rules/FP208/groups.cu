// Two maps, rewritten where the group changes.
__global__ void groups(CUtensorMap* maps, float* base, uint64_t* full, uint64_t* empty, int blocks) {
  extern __shared__ alignas(128) uint8_t bytes[];
  auto staged = reinterpret_cast<CUtensorMap*>(bytes);
  auto map_a = maps + blockIdx.x * 2;
  auto map_b = maps + blockIdx.x * 2 + 1;
  int last = -1;
  if (threadIdx.x == 0) {
    for (int b = 0; b < blocks; ++b) {
      const int group = b / 4;
      if (group != last) {
        last = group;
        replace_address(staged, base + group * 4096);
        *(map_a) = *(staged);  // want FP208 "map_a"
        *(map_b) = *(staged + 1);
        ptx::tensor_map_release_gpu();
        ptx::tensor_map_acquire_gpu(map_a);
        ptx::tensor_map_acquire_gpu(map_b);
      }
      for (int k = 0; k < 8; ++k) {
        mbarrier_wait(&empty[k], 1);
        tma_copy(map_a, &full[k], bytes + 1024, k);
        tma_copy(map_b, &full[k], bytes + 2048, k);
      }
    }
  }
}

// Written once, before the loop; and a map in shared memory, which no copy uses.
__global__ void once(CUtensorMap* map, float* base, uint64_t* full, int blocks) {
  extern __shared__ alignas(128) uint8_t bytes[];
  auto staged = reinterpret_cast<CUtensorMap*>(bytes);
  if (threadIdx.x == 0) {
    *map = *staged;
    ptx::tensor_map_release_gpu();
    ptx::tensor_map_acquire_gpu(map);
    for (int b = 0; b < blocks; ++b) {
      *(staged) = *(map);
      tma_copy(map, full, bytes + 1024, b);
    }
  }
}

// The copies of the round before are over when what they filled has been waited for.
__global__ void waited(CUtensorMap* map, CUtensorMap* next, uint64_t* full, int blocks) {
  extern __shared__ alignas(128) uint8_t bytes[];
  if (threadIdx.x == 0) {
    for (int b = 0; b < blocks; ++b) {
      mbarrier_wait(full, b & 1);
      *map = next[b];
      ptx::tensor_map_release_gpu();
      ptx::tensor_map_acquire_gpu(map);
      tma_copy(map, full, bytes, b);
    }
  }
}
