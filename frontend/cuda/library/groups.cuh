// What cooperative_groups/memcpy_async.h does: the threads of a group copy what they share out between them, and wait brings them together behind it (CUDA C++
// Programming Guide, Data Movement: memcpy_async, wait and wait_prior).

namespace cooperative_groups {

template <typename G, typename T>
__device__ void memcpy_async(const G& group, T* to, const T* from, size_t bytes) {
  cuda::fencepost_share(group, to, from, bytes);
  __pipeline_commit();
}

template <typename G>
__device__ void wait(const G& group) {
  __pipeline_wait_prior(0);
  group.sync();
}

template <int N, typename G>
__device__ void wait_prior(const G& group) {
  __pipeline_wait_prior(N);
  group.sync();
}

// cooperative_groups.h, invoke_one and invoke_one_broadcast: one thread of the group calls what it is handed, and the latter gives all of them what that returns.
template <typename G, typename F, typename... A>
__device__ bool invoke_one(const G& group, F f, A... args) {
  group.any(true); // lanes of a tile elect one
  bool mine = group.thread_rank() == 0;
  if (mine) f(args...);
  return mine;
}

template <typename G, typename F, typename... A>
__device__ unsigned invoke_one_broadcast(const G& group, F f, A... args) {
  unsigned value = 0;
  group.any(true);
  if (group.thread_rank() == 0) value = f(args...);
  return group.shfl(value, 0);
}

}  // namespace cooperative_groups
