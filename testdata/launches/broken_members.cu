// The types of the elements are members of what the launch gives the template, which is not here: of whatever size they are, threads read what others write.
// expect: violated race
// small: -
#include <cstdint>

template <uint32_t VEC, typename Params>
__global__ void swap_rows(const __grid_constant__ Params params) {
  using Element = typename Params::Element;
  extern __shared__ unsigned char memory[];
  Element* rows = (Element*)memory;
  const Element* in = params.in;
  Element* out = params.out;
  const uint32_t first = (threadIdx.y * blockDim.x + threadIdx.x) * VEC;
  for (uint32_t i = 0; i < VEC; ++i) *(rows + first + i) = *(in + first + i);
  const uint32_t other = ((blockDim.y - 1 - threadIdx.y) * blockDim.x + threadIdx.x) * VEC;
  for (uint32_t i = 0; i < VEC; ++i) *(out + first + i) = *(rows + other + i);  // want FP720
}

template <uint32_t HEAD, typename Params>
void run(Params params, int n) {
  using Element = typename Params::Element;
  constexpr uint32_t vec = 16 / sizeof(Element) > HEAD / 32 ? 16 / sizeof(Element) : HEAD / 32;
  constexpr uint32_t x = HEAD / vec;
  swap_rows<vec, Params><<<n, dim3(x, 256 / x), HEAD * 256 / x * sizeof(Element)>>>(params);
}
