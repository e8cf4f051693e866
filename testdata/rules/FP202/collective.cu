__device__ void tmem_st(uint32_t col, float a) { asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(col), "f"(a)); }
__device__ void tmem_wait_st() { asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory"); }
__device__ void arrive(uint64_t* bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((uint32_t)__cvta_generic_to_shared(bar)) : "memory");
}

// The statistics are told of, and the wait that follows is for what is stored next.
__device__ void two_stores(Tensor stats, Tensor tile, Tensor columns, Tensor more, Stats& stats_pipe, State& at, Scores& scores_pipe, State& from) {
  using Store = SM100_TMEM_STORE_32dp32b32x;
  auto put_stats = make_tmem_copy(SM100_TMEM_STORE_32dp32b2x{}, columns);
  auto put_tile = make_tmem_copy(SM100_TMEM_STORE_32dp32b32x{}, more);
  copy(put_stats, stats, columns);  // want FP202 "told of it at line 13"
  stats_pipe.producer_commit(at);
  copy(put_tile, tile, more);
  cutlass::arch::fence_view_async_tmem_store();
  scores_pipe.consumer_release(from);
}

__device__ void by_instruction(uint32_t col, float a, uint64_t* full) {
  tmem_st(col, a);  // want FP202 "not awaited"
  arrive(full);
}

__device__ void awaited(uint32_t col, float a, uint64_t* full) {
  tmem_st(col, a);
  tmem_wait_st();
  arrive(full);
}

// The first arrival is for what was read; the stores are awaited before the one that tells of them.
__device__ void about_something_else(uint32_t col, float a, uint64_t* empty, uint64_t* full) {
  tmem_st(col, a);
  arrive(empty);
  tmem_wait_st();
  arrive(full);
}

// A load from tensor memory, and a wait of another header.
__device__ void loads(Tensor tile, Tensor columns, Scores& pipe, State& at) {
  auto get = make_tmem_copy(SM100_TMEM_LOAD_32dp32b32x{}, columns);
  copy(get, columns, tile);
  pipe.producer_commit(at);
}

__device__ void waits_elsewhere(Tensor tile, Tensor columns, Scores& pipe, State& at) {
  auto put = make_tmem_copy(SM100_TMEM_STORE_32dp32b32x{}, columns);
  copy(put, tile, columns);
  tensor_store_wait();
  pipe.producer_commit(at);
}

// Only one of two ways stores.
__device__ void either(bool last, Tensor tile, Tensor columns, Scores& pipe, State& at) {
  auto put = make_tmem_copy(SM100_TMEM_STORE_32dp32b32x{}, columns);
  if (last) {
    copy(put, tile, columns);
    cutlass::arch::fence_view_async_tmem_store();
  } else {
    pipe.producer_commit(at);
  }
}
