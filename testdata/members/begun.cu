// Which stage comes next, and its phase, begin with what their classes say.
// expect: holds
// small: -
struct Turn {
  int stage = 0;
  unsigned phase;
  __device__ explicit Turn(unsigned first) : phase(first) {}
  template <int N>
  __device__ void next() {
    if (++stage == N) {
      stage = 0;
      phase ^= 1;
    }
  }
};

struct Side {
  Turn turn = Turn(0);
  int done = 0;
};

class Bar {
  unsigned long long word;
  __device__ unsigned at() { return (unsigned)__cvta_generic_to_shared(&word); }

 public:
  __device__ void init(int n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at()), "r"(n)); }
  __device__ void arrive() { asm volatile("{.reg .b64 t; mbarrier.arrive.shared.b64 t, [%0];}" ::"r"(at()) : "memory"); }
  __device__ void wait(unsigned phase) {
    asm volatile("{.reg .pred p;\nAgain: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra Again;}" ::"r"(at()), "r"(phase) : "memory");
  }
};

__global__ void doubled(const float* in, float* out, int tiles) {
  __shared__ float rows[2][32];
  __shared__ Bar full[2], free_[2];
  if (threadIdx.x < 2) {
    full[threadIdx.x].init(32);
    free_[threadIdx.x].init(32);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    Turn turn(1);
    for (int k = 0; k < tiles; ++k, turn.next<2>()) {
      free_[turn.stage].wait(turn.phase);
      rows[turn.stage][lane] = in[k * 32 + lane];
      full[turn.stage].arrive();
    }
  } else {
    Side side;
    for (; side.done < tiles; ++side.done, side.turn.next<2>()) {
      full[side.turn.stage].wait(side.turn.phase);
      out[side.done * 32 + lane] = 2 * rows[side.turn.stage][31 - lane];
      free_[side.turn.stage].arrive();
    }
  }
}

void run(const float* in, float* out, int tiles) { doubled<<<1, 64>>>(in, out, tiles); }
