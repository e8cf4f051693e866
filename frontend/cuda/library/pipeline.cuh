// What cuda::pipeline and cuda::memcpy_async of libcu++ do in shared memory (CUDA C++ Programming Guide, Asynchronous Data Copies; libcu++, Extended API,
// Synchronization Primitives). A pipeline of one thread waits for groups of copies; one that threads share has two barriers of each stage: that it is full, for which those
// that produce commit, and that it is free, which those that consume release.

namespace cuda {

enum class pipeline_role { producer, consumer };

template <size_t A>
struct aligned_size_t {
  size_t value;
  __device__ explicit aligned_size_t(size_t n) : value(n) {}
  __device__ operator size_t() const { return value; }
};

__device__ inline void fencepost_completes(cuda::barrier<cuda::thread_scope_block>& b) {
  asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&b))) : "memory");
}

template <int S, int N>
struct pipeline_shared_state {
  cuda::barrier<cuda::thread_scope_block> full[N];
  cuda::barrier<cuda::thread_scope_block> free[N];
};

template <int S>
class pipeline {
  cuda::barrier<cuda::thread_scope_block>* full;
  cuda::barrier<cuda::thread_scope_block>* free;
  int stages, head, tail;
  bool parity, other;

 public:
  __device__ pipeline(cuda::barrier<cuda::thread_scope_block>* f, cuda::barrier<cuda::thread_scope_block>* e, int n) : full(f), free(e), stages(n), head(0), tail(0), parity(true), other(false) {}
  __device__ void producer_acquire() { free[head].wait_parity(parity); }
  __device__ void producer_commit() {
    fencepost_completes(full[head]);
    full[head].arrive();
    head = head + 1;
    if (head == stages) {
      head = 0;
      parity = !parity;
    }
  }
  __device__ void consumer_wait() { full[tail].wait_parity(other); }
  __device__ void consumer_release() {
    free[tail].arrive();
    tail = tail + 1;
    if (tail == stages) {
      tail = 0;
      other = !other;
    }
  }
  __device__ bool quit() { return false; }
};

template <>
class pipeline<cuda::thread_scope_thread> {
  int head, tail;

 public:
  __device__ pipeline() : head(0), tail(0) {}
  __device__ void producer_acquire() {}
  __device__ void producer_commit() {
    __pipeline_commit();
    head = head + 1;
  }
  __device__ void consumer_wait() {
    if (head == tail) return;
    __pipeline_wait_prior(head - tail - 1);
    tail = tail + 1;
  }
  __device__ void consumer_release() {}
  __device__ bool quit() { return true; }
  __device__ void fencepost_prior(int n) {
    __pipeline_wait_prior(n);
    tail = head - n;
  }
};

__device__ inline pipeline<cuda::thread_scope_thread> make_pipeline() { return pipeline<cuda::thread_scope_thread>(); }

template <typename G, int S, int N>
__device__ inline pipeline<S> make_pipeline(const G& group, pipeline_shared_state<S, N>* state) {
  if (group.thread_rank() == 0) {
    for (int i = 0; i < N; i++) {
      init(&state->full[i], group.size());
      init(&state->free[i], group.size());
    }
  }
  group.sync();
  return pipeline<S>(state->full, state->free, N);
}

// How many threads produce, or, as a role, whether this one does: a pipeline with no producer, or with one of one thread that has no consumer, is of no use.
template <typename G, int S, int N>
__device__ inline pipeline<S> make_pipeline(const G& group, pipeline_shared_state<S, N>* state, size_t said) {
  const int first = __syncthreads_count(said == 0);
  const int producers = said < 2 ? first : static_cast<int>(said);
  if (group.thread_rank() == 0) {
    for (int i = 0; i < N; i++) {
      init(&state->full[i], producers);
      init(&state->free[i], group.size() - producers);
    }
  }
  group.sync();
  return pipeline<S>(state->full, state->free, N);
}

template <int N>
__device__ inline void pipeline_consumer_wait_prior(pipeline<cuda::thread_scope_thread>& pipe) {
  pipe.fencepost_prior(N);
}

__device__ inline void pipeline_producer_commit(pipeline<cuda::thread_scope_thread>& pipe, cuda::barrier<cuda::thread_scope_block>& b) { fencepost_completes(b); }

template <typename T, typename B, int S>
__device__ inline void memcpy_async(T* to, const T* from, B bytes, pipeline<S>& pipe) {
  fencepost_copy(to, from, bytes);
}

template <typename G, typename T, typename B, int S>
__device__ inline void memcpy_async(const G& group, T* to, const T* from, B bytes, pipeline<S>& pipe) {
  fencepost_share(group, to, from, bytes);
}

template <typename T, typename B>
__device__ inline void memcpy_async(T* to, const T* from, B bytes, cuda::barrier<cuda::thread_scope_block>& b) {
  fencepost_copy(to, from, bytes);
  fencepost_completes(b);
}

template <typename G, typename T, typename B>
__device__ inline void memcpy_async(const G& group, T* to, const T* from, B bytes, cuda::barrier<cuda::thread_scope_block>& b) {
  fencepost_share(group, to, from, bytes);
  fencepost_completes(b);
}

}  // namespace cuda
