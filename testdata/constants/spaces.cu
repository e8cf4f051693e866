// expect: holds open=race-grid
// small: -
// Constants of two namespaces have the same names; the tile's extents are enumerators of a class template, asked for by type and through an object.
namespace pass { namespace down {
constexpr int LINES = 8;
constexpr int WORDS = LINES * 4;
} }

namespace pass { namespace up {
constexpr int LINES = 64;
constexpr int WORDS = LINES * 2;

template <int N> struct Tile {
  enum { words = N, last = words - 1 };
  static const int lines = LINES;
  int own[2];
};

template <typename F> __device__ void turn(const F& tile, int* out, int* s) {
  for (int i = threadIdx.x; i < F::words; i += tile.lines) s[i] = i;
  __syncthreads();
  for (int i = threadIdx.x; i < F::words; i += tile.lines) out[i] = s[F::last - i];
}

__global__ void __launch_bounds__(64) turned(int* out) {
  __shared__ int s[WORDS];
  Tile<WORDS> tile;
  turn(tile, out, s);
}
} }
