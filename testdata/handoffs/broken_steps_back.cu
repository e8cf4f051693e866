// As steps_back.cu, but that a tile has its total is said without order.
// expect: violated order
// small: -
#include <cuda/atomic>

enum { nothing, own, whole };

struct Tiles {
  int *state, *sum, *total;
  using State = cuda::atomic_ref<int, cuda::thread_scope_device>;

  __device__ int before(int tile) {
    int all = 0;
    for (int t = tile - 1; t >= 0;) {
      const int at = State(state[t]).load(cuda::memory_order_acquire);
      if (at == whole) {
        return all + total[t];
      }
      if (at == own) {
        all += sum[t];
        --t;
      }
    }
    return all;
  }
};

__global__ void scan(const int* in, int* out, Tiles tiles, int* next) {
  if (threadIdx.x == 0) {
    const int tile = atomicAdd(next, 1), mine = in[tile];
    tiles.sum[tile] = mine;
    Tiles::State(tiles.state[tile]).store(own, cuda::memory_order_release);
    const int before = tiles.before(tile);
    tiles.total[tile] = before + mine;
    Tiles::State(tiles.state[tile]).store(whole, cuda::memory_order_relaxed);  // want FP304
    out[tile] = before;
  }
}

void run(const int* in, int* out, Tiles tiles, int* next, int n) { scan<<<n, 32>>>(in, out, tiles, next); }
