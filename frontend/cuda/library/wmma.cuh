// nvcuda::wmma, of mma.h (CUDA C++ Programming Guide, "Warp Matrix Functions"): all lanes of a warp call its functions together, which read or write the rows of a matrix, or its
// columns, that lie one behind the other with a stride that counts elements. Which lane accesses which of them is not said there: two lanes read a row of a factor, so that what one of
// them wrote before is not for it alone, and of an accumulator it is one, the same where it is loaded and stored. The functions order no memory. What is computed is not followed.

namespace nvcuda { namespace wmma {

struct matrix_a { enum { down = 1, right = 0, first = 0 }; };
struct matrix_b { enum { down = 0, right = 1, first = 0 }; };
struct accumulator { enum { down = 1, right = 1, first = 1 }; };
struct row_major { enum { across = 0 }; };
struct col_major { enum { across = 1 }; };
enum layout_t { mem_row_major, mem_col_major };

namespace precision { using tf32 = float; }

template <typename USE, int M, int N, int K, typename T, typename LAYOUT = row_major> struct fragment {
  enum {
    rows = USE::down ? M : K,
    columns = USE::right ? N : K,
    first = USE::first,
    across = LAYOUT::across,
    num_elements = rows * columns / 32 * (sizeof(T) == 2 && !(USE::down && USE::right) ? 2 : 1),
    num_storage_elements = num_elements
  };
  T x[num_elements];
};

__device__ inline unsigned fencepost_lane() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32; }

template <int ROWS, int COLUMNS, int FIRST, typename P> __device__ inline void fencepost_read(const P* p, unsigned pitch) {
  for (unsigned turn = FIRST; turn < 2; turn++) {
    for (int piece = 0; piece < COLUMNS * (int)sizeof(P) / 16; piece++) {
      if (fencepost_lane() < ROWS) {
        uint4 some = *(const uint4*)((const char*)(p + (fencepost_lane() + turn) % ROWS * pitch) + 16 * piece);
      }
    }
  }
}

template <int ROWS, int COLUMNS, typename P> __device__ inline void fencepost_write(P* p, unsigned pitch) {
  for (int piece = 0; piece < COLUMNS * (int)sizeof(P) / 16; piece++) {
    if (fencepost_lane() < ROWS) {
      uint4 some;
      some.x = some.y = some.z = some.w = (unsigned)clock64();
      *(uint4*)((char*)(p + (fencepost_lane() + 1) % ROWS * pitch) + 16 * piece) = some;
    }
  }
}

template <typename F> __device__ inline void fencepost_fill(F& f) {
  for (int i = 0; i < F::num_elements; i++) f.x[i] = (float)clock64();
}

template <typename F, typename P> __device__ inline void load_matrix_sync(F& f, const P* p, unsigned pitch) {
  if (F::across) {
    fencepost_read<F::columns, F::rows, F::first>(p, pitch);
  } else {
    fencepost_read<F::rows, F::columns, F::first>(p, pitch);
  }
  fencepost_fill(f);
}

template <typename F, typename P> __device__ inline void load_matrix_sync(F& f, const P* p, unsigned pitch, layout_t layout) {
  if (layout == mem_col_major) {
    fencepost_read<F::columns, F::rows, F::first>(p, pitch);
  } else {
    fencepost_read<F::rows, F::columns, F::first>(p, pitch);
  }
  fencepost_fill(f);
}

template <typename F, typename P> __device__ inline void store_matrix_sync(P* p, const F& f, unsigned pitch, layout_t layout) {
  if (layout == mem_col_major) {
    fencepost_write<F::columns, F::rows>(p, pitch);
  } else {
    fencepost_write<F::rows, F::columns>(p, pitch);
  }
}

template <typename F, typename V> __device__ inline void fill_fragment(F& f, const V& v) { fencepost_fill(f); }

template <typename D, typename A, typename B, typename C> __device__ inline void mma_sync(D& d, const A& a, const B& b, const C& c, bool saturates = false) {
  fencepost_fill(d);
}

__device__ inline float __float_to_tf32(float x) { return x; }

} }  // namespace nvcuda::wmma
