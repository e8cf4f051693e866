// The wrappers stand in a header that this file does not show.
template <int kStages>
__global__ void reduce(float* out, const float* in, int tiles) {
  extern __shared__ alignas(128) uint8_t bytes[];
  auto stage = Pattern([=](int i) { return reinterpret_cast<float*>(bytes + i * 1024); });
  auto notes = Pattern([=](int i) { return reinterpret_cast<float*>(bytes + kStages * 1024 + i * 64); });
  auto full = Pattern([=](int i) { return reinterpret_cast<uint64_t*>(bytes + kStages * 1088) + i; });
  auto empty = Pattern([=](int i) { return reinterpret_cast<uint64_t*>(bytes + kStages * 1088) + kStages + i; });
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int s = 0, phase = 0;
  if (warp == 4) {
    for (int t = 0; t < tiles; ++t) {
      mbarrier_wait(empty[s], phase ^ 1);
      if (elect_one_sync()) {
        tma_load_1d(stage[s], in + t * 256, full[s], 1024);
        mbarrier_arrive_and_expect_tx(full[s], 1024);
      }
      s = (s + 1) % kStages;
    }
  } else {
    float sum = 0.0f;
    for (int t = 0; t < tiles; ++t) {
      mbarrier_wait(full[s], phase);
      sum += stage[s][threadIdx.x];
      if (elect_one_sync()) mbarrier_arrive(empty[s]);  // want FP204 "given back without a proxy fence"
      s = (s + 1) % kStages;
    }
    out[threadIdx.x] = sum;
  }
}

// Fenced by the readers; and by the thread that fills it again.
template <int kStages>
__global__ void fenced(float* out, const float* in, int tiles) {
  extern __shared__ alignas(128) uint8_t bytes[];
  auto stage = Pattern([=](int i) { return reinterpret_cast<float*>(bytes + i * 1024); });
  auto full = Pattern([=](int i) { return reinterpret_cast<uint64_t*>(bytes + kStages * 1024) + i; });
  auto empty = Pattern([=](int i) { return reinterpret_cast<uint64_t*>(bytes + kStages * 1024) + kStages + i; });
  int s = 0;
  if (threadIdx.x / 32 == 4) {
    for (int t = 0; t < tiles; ++t) {
      mbarrier_wait(empty[s], 1);
      if (elect_one_sync()) tma_load_1d(stage[s], in + t * 256, full[s], 1024);
      s = (s + 1) % kStages;
    }
  } else {
    for (int t = 0; t < tiles; ++t) {
      mbarrier_wait(full[s], 0);
      out[threadIdx.x] += stage[s][threadIdx.x];
      fence_view_async_shared();
      if (elect_one_sync()) mbarrier_arrive(empty[s]);
      s = (s + 1) % kStages;
    }
  }
}

template <int kStages>
__global__ void fenced_by_the_loader(float* out, const float* in, int tiles) {
  extern __shared__ alignas(128) uint8_t bytes[];
  auto stage = Pattern([=](int i) { return reinterpret_cast<float*>(bytes + i * 1024); });
  auto full = Pattern([=](int i) { return reinterpret_cast<uint64_t*>(bytes + kStages * 1024) + i; });
  auto empty = Pattern([=](int i) { return reinterpret_cast<uint64_t*>(bytes + kStages * 1024) + kStages + i; });
  int s = 0;
  if (threadIdx.x / 32 == 4) {
    for (int t = 0; t < tiles; ++t) {
      mbarrier_wait(empty[s], 1);
      fence_view_async_shared();
      if (elect_one_sync()) tma_load_1d(stage[s], in + t * 256, full[s], 1024);
      s = (s + 1) % kStages;
    }
  } else {
    for (int t = 0; t < tiles; ++t) {
      mbarrier_wait(full[s], 0);
      out[threadIdx.x] += stage[s][threadIdx.x];
      if (elect_one_sync()) mbarrier_arrive(empty[s]);
      s = (s + 1) % kStages;
    }
  }
}

// What is read is not what is filled: multiplications read the stage.
template <int kStages>
__global__ void read_elsewhere(float* out, const float* in, int tiles) {
  extern __shared__ alignas(128) uint8_t bytes[];
  auto stage = Pattern([=](int i) { return reinterpret_cast<float*>(bytes + i * 1024); });
  auto notes = Pattern([=](int i) { return reinterpret_cast<float*>(bytes + kStages * 1024 + i * 64); });
  auto full = Pattern([=](int i) { return reinterpret_cast<uint64_t*>(bytes + kStages * 1088) + i; });
  auto empty = Pattern([=](int i) { return reinterpret_cast<uint64_t*>(bytes + kStages * 1088) + kStages + i; });
  int s = 0;
  if (threadIdx.x / 32 == 4) {
    for (int t = 0; t < tiles; ++t) {
      mbarrier_wait(empty[s], 1);
      if (elect_one_sync()) tma_load_1d(stage[s], in + t * 256, full[s], 1024);
      s = (s + 1) % kStages;
    }
  } else {
    for (int t = 0; t < tiles; ++t) {
      mbarrier_wait(full[s], 0);
      out[threadIdx.x] += notes[s][threadIdx.x];
      if (elect_one_sync()) mbarrier_arrive(empty[s]);
      s = (s + 1) % kStages;
    }
  }
}
