// What cuda::atomic and cuda::atomic_ref of libcu++ do, by the compiler's own atomic functions, which are given their order and scope by number.

enum { __NV_ATOMIC_RELAXED, __NV_ATOMIC_CONSUME, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELEASE, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_SEQ_CST };
enum { __NV_THREAD_SCOPE_THREAD, __NV_THREAD_SCOPE_BLOCK, __NV_THREAD_SCOPE_CLUSTER, __NV_THREAD_SCOPE_DEVICE, __NV_THREAD_SCOPE_SYSTEM };

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };

namespace std {

enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };

}  // namespace std

template <typename T, int SCOPE = 0>
struct atomic_ref {
  static constexpr int in = SCOPE == 0 ? 4 : SCOPE == 1 ? 3 : SCOPE == 2 ? 1 : 0;
  T* at;
  __device__ atomic_ref(T& x) : at(&x) {}
  __device__ T load(int order = 5) const { return __nv_atomic_load_n(at, order, in); }
  __device__ void store(T x, int order = 5) const { __nv_atomic_store_n(at, x, order, in); }
  __device__ operator T() const { return __nv_atomic_load_n(at, 5, in); }
  __device__ T operator=(T x) const {
    __nv_atomic_store_n(at, x, 5, in);
    return x;
  }
  __device__ T exchange(T x, int order = 5) const { return __nv_atomic_exchange_n(at, x, order, in); }
  __device__ bool compare_exchange_strong(T& expected, T x, int order = 5) const { return __nv_atomic_compare_exchange_n(at, &expected, x, false, order, order == 3 ? 0 : order == 4 ? 2 : order, in); }
  __device__ bool compare_exchange_strong(T& expected, T x, int order, int failed) const { return __nv_atomic_compare_exchange_n(at, &expected, x, false, order, failed, in); }
  __device__ bool compare_exchange_weak(T& expected, T x, int order = 5) const { return __nv_atomic_compare_exchange_n(at, &expected, x, true, order, order == 3 ? 0 : order == 4 ? 2 : order, in); }
  __device__ bool compare_exchange_weak(T& expected, T x, int order, int failed) const { return __nv_atomic_compare_exchange_n(at, &expected, x, true, order, failed, in); }
  __device__ T fetch_add(T x, int order = 5) const { return __nv_atomic_fetch_add(at, x, order, in); }
  __device__ T fetch_sub(T x, int order = 5) const { return __nv_atomic_fetch_sub(at, x, order, in); }
  __device__ T fetch_and(T x, int order = 5) const { return __nv_atomic_fetch_and(at, x, order, in); }
  __device__ T fetch_or(T x, int order = 5) const { return __nv_atomic_fetch_or(at, x, order, in); }
  __device__ T fetch_xor(T x, int order = 5) const { return __nv_atomic_fetch_xor(at, x, order, in); }
  __device__ T fetch_max(T x, int order = 5) const { return __nv_atomic_fetch_max(at, x, order, in); }
  __device__ T fetch_min(T x, int order = 5) const { return __nv_atomic_fetch_min(at, x, order, in); }
  __device__ T operator+=(T x) const { return __nv_atomic_fetch_add(at, x, 5, in) + x; }
  __device__ T operator-=(T x) const { return __nv_atomic_fetch_sub(at, x, 5, in) - x; }
  __device__ T operator++() const { return __nv_atomic_fetch_add(at, 1, 5, in) + 1; }
  __device__ T operator++(int) const { return __nv_atomic_fetch_add(at, 1, 5, in); }
  __device__ T operator--() const { return __nv_atomic_fetch_sub(at, 1, 5, in) - 1; }
  __device__ T operator--(int) const { return __nv_atomic_fetch_sub(at, 1, 5, in); }
  __device__ void wait(T old, int order = 5) const {
    while (__nv_atomic_load_n(at, order, in) == old) {
    }
  }
  __device__ void notify_one() const {}
  __device__ void notify_all() const {}
};

template <typename T, int SCOPE = 0>
struct atomic {
  static constexpr int in = SCOPE == 0 ? 4 : SCOPE == 1 ? 3 : SCOPE == 2 ? 1 : 0;
  T word;
  __device__ T load(int order = 5) { return __nv_atomic_load_n(&this->word, order, in); }
  __device__ void store(T x, int order = 5) { __nv_atomic_store_n(&this->word, x, order, in); }
  __device__ operator T() { return __nv_atomic_load_n(&this->word, 5, in); }
  __device__ T operator=(T x) {
    __nv_atomic_store_n(&this->word, x, 5, in);
    return x;
  }
  __device__ T exchange(T x, int order = 5) { return __nv_atomic_exchange_n(&this->word, x, order, in); }
  __device__ bool compare_exchange_strong(T& expected, T x, int order = 5) { return __nv_atomic_compare_exchange_n(&this->word, &expected, x, false, order, order == 3 ? 0 : order == 4 ? 2 : order, in); }
  __device__ bool compare_exchange_strong(T& expected, T x, int order, int failed) { return __nv_atomic_compare_exchange_n(&this->word, &expected, x, false, order, failed, in); }
  __device__ bool compare_exchange_weak(T& expected, T x, int order = 5) { return __nv_atomic_compare_exchange_n(&this->word, &expected, x, true, order, order == 3 ? 0 : order == 4 ? 2 : order, in); }
  __device__ bool compare_exchange_weak(T& expected, T x, int order, int failed) { return __nv_atomic_compare_exchange_n(&this->word, &expected, x, true, order, failed, in); }
  __device__ T fetch_add(T x, int order = 5) { return __nv_atomic_fetch_add(&this->word, x, order, in); }
  __device__ T fetch_sub(T x, int order = 5) { return __nv_atomic_fetch_sub(&this->word, x, order, in); }
  __device__ T fetch_and(T x, int order = 5) { return __nv_atomic_fetch_and(&this->word, x, order, in); }
  __device__ T fetch_or(T x, int order = 5) { return __nv_atomic_fetch_or(&this->word, x, order, in); }
  __device__ T fetch_xor(T x, int order = 5) { return __nv_atomic_fetch_xor(&this->word, x, order, in); }
  __device__ T fetch_max(T x, int order = 5) { return __nv_atomic_fetch_max(&this->word, x, order, in); }
  __device__ T fetch_min(T x, int order = 5) { return __nv_atomic_fetch_min(&this->word, x, order, in); }
  __device__ T operator+=(T x) { return __nv_atomic_fetch_add(&this->word, x, 5, in) + x; }
  __device__ T operator-=(T x) { return __nv_atomic_fetch_sub(&this->word, x, 5, in) - x; }
  __device__ T operator++() { return __nv_atomic_fetch_add(&this->word, 1, 5, in) + 1; }
  __device__ T operator++(int) { return __nv_atomic_fetch_add(&this->word, 1, 5, in); }
  __device__ T operator--() { return __nv_atomic_fetch_sub(&this->word, 1, 5, in) - 1; }
  __device__ T operator--(int) { return __nv_atomic_fetch_sub(&this->word, 1, 5, in); }
  __device__ void wait(T old, int order = 5) {
    while (__nv_atomic_load_n(&this->word, order, in) == old) {
    }
  }
  __device__ void notify_one() {}
  __device__ void notify_all() {}
};

__device__ void atomic_thread_fence(int order, int scope = 0) { __nv_atomic_thread_fence(order, scope == 0 ? 4 : scope == 1 ? 3 : scope == 2 ? 1 : 0); }

}  // namespace cuda

namespace std {

enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };

}  // namespace std
