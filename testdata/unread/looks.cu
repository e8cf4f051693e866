// Threads fill an object word by word, and ask it for something by a method of which nothing is known. What each of those that have not returned calls by itself waits for nobody.
// expect: inconclusive
// small: -
#include "absent/shape.h"

template <class Shape>
__global__ void measure(float* out, const typename Shape::Params* from, const typename Shape::Point* points, int n) {
  extern __shared__ char raw[];
  auto* own = (typename Shape::Params*)raw;
  for (unsigned k = threadIdx.x; k < sizeof(typename Shape::Params) / sizeof(int); k += blockDim.x) ((int*)own)[k] = ((const int*)from)[k];
  __syncthreads();
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  typename Shape::Point p = points[i];
  float w = weight_of(p.w);
  out[i] = w * own->extent(p.x);
}
