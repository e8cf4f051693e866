// What memcpy_async of libcu++ and of cooperative groups copies: by cp.async where there are whole words, else byte by byte, before it returns (CUDA C++ Programming Guide, Asynchronous Data
// Copies: alignment and size of four, eight or sixteen bytes).

namespace cuda {

__device__ inline void fencepost_copy(void* to, const void* from, size_t bytes) {
  if (bytes == 16) {
    __pipeline_memcpy_async(to, from, 16);
  } else if (bytes == 8) {
    __pipeline_memcpy_async(to, from, 8);
  } else if (bytes % 4 == 0) {
    for (size_t i = 0; i < bytes; i += 4) __pipeline_memcpy_async((char*)to + i, (const char*)from + i, 4);
  } else {
    for (size_t i = 0; i < bytes; i++) ((char*)to)[i] = ((const char*)from)[i];
  }
}

// The threads of a group share out what is copied.
template <typename G>
__device__ inline void fencepost_share(const G& group, void* to, const void* from, size_t bytes) {
  if (bytes % 4 == 0) {
    for (size_t i = 4 * group.thread_rank(); i < bytes; i += 4 * group.size()) __pipeline_memcpy_async((char*)to + i, (const char*)from + i, 4);
  } else {
    for (size_t i = group.thread_rank(); i < bytes; i += group.size()) ((char*)to)[i] = ((const char*)from)[i];
  }
}

}  // namespace cuda
