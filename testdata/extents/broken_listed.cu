// As listed.cu, but the table begins with the last of the rows.
// expect: violated race
// small: -
#include <algorithm>
#include <initializer_list>

constexpr size_t room(std::initializer_list<size_t> sizes) { return std::max(sizes); }

template <int N>
struct Stage {
  static constexpr size_t kRows = room({sizeof(float) * N, sizeof(double) * 16, 2 * sizeof(int)});
  static constexpr size_t kTable = std::min({kRows, size_t(512)});
};

template <typename S>
__global__ void __launch_bounds__(128) turned(const float* in, float* out) {
  extern __shared__ char memory[];
  float* row = reinterpret_cast<float*>(memory);
  float* table = reinterpret_cast<float*>(memory + S::kRows - 4);
  const int at = blockIdx.x * 128 + threadIdx.x;
  row[threadIdx.x] = in[at];
  table[threadIdx.x] = in[threadIdx.x] * S::kTable;  // want FP720
  __syncthreads();
  out[at] = row[127 - threadIdx.x] + table[(threadIdx.x + 1) % 128];
}

void run(const float* in, float* out, int n) { turned<Stage<128>><<<n / 128, 128, 1024>>>(in, out); }
