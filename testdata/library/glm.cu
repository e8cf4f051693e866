// Vectors of GLM in dynamic shared memory behind an array of integers: all threads meet before the next batch is written.
// expect: holds
// small: -
#include <glm/glm.hpp>

using vec3 = glm::vec<3, float>;

__global__ void blend(const int* ids, const vec3* colors, float* out, int n) {
  extern __shared__ int batch[];
  vec3* color = reinterpret_cast<vec3*>(&batch[128]);
  float sum = 0;
  for (int first = 0; first < n; first += 128) {
    __syncthreads();
    const int at = first + threadIdx.x;
    if (at < n) {
      batch[threadIdx.x] = ids[at];
      color[threadIdx.x] = colors[at];
    }
    __syncthreads();
    for (int t = 0; t < min(128, n - first); t++) sum += color[t].x * batch[t];
  }
  out[threadIdx.x] = sum;
}

void launch(const int* ids, const vec3* colors, float* out, int n) { blend<<<1, 128, 128 * (sizeof(int) + sizeof(vec3))>>>(ids, colors, out, n); }
