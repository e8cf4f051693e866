// Tiles look back at those before them; what a tile tells has a fence before it.
// expect: inconclusive
enum State : int { Nothing = 0, Part = 1, Whole = 2 };

struct Tiles {
  volatile int* state;
  volatile int* part;
  volatile int* whole;

  __device__ void tell(int tile, int what, int sum) {
    if (what == Part)
      part[tile] = sum;
    else
      whole[tile] = sum;
    __threadfence();
    state[tile] = what;
  }
  __device__ int before(int tile) {
    int sum = 0;
    for (int k = tile - 1; k >= 0; --k) {
      int what;
      do {
        what = state[k];
      } while (what == Nothing);
      __threadfence();
      if (what == Whole) return sum + whole[k];
      sum += part[k];
    }
    return sum;
  }
};

__global__ void offsets(const int* sizes, int* out, Tiles tiles, unsigned* next) {
  __shared__ int mine;
  if (threadIdx.x != 0) return;
  mine = atomicAdd(next, 1u);
  const int size = sizes[mine];
  tiles.tell(mine, Part, size);
  const int sum = tiles.before(mine);
  tiles.tell(mine, Whole, sum + size);
  out[mine] = sum;
}

void run(const int* sizes, int* out, Tiles tiles, unsigned* next, int n) { offsets<<<n, 32>>>(sizes, out, tiles, next); }
