__device__ bool poll(uint64_t* done, uint32_t parity, uint32_t limit) {
  bool ready = false;
  for (int i = 0; i < 4 && !ready; ++i) {
    cuda::ptx::mbarrier_try_wait_parity(done, parity, limit);  // want FP110 "drops its result"
  }
  return ready;
}

__device__ bool poll_token(uint64_t* done, uint64_t token, uint32_t limit) {
  bool ready = false;
  for (int i = 0; i < 4 && !ready; ++i) {
    ready = cuda::ptx::mbarrier_try_wait(done, token, limit);
  }
  return ready;
}
