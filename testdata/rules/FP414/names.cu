// Named barriers with two names, and sums that look like it.
enum Names { First = 0, Second = 1, Row = 2, Late = 6, Odd = 7 };

template <int STAGE>
struct Collective {
  static constexpr int kWarps = 4;

  __device__ void rows(int warp, int lane) {
    const int mine = Names::Row + 1 * kWarps + warp;
    NamedBarrier::arrive(64, mine);
    const int pair = (warp & 1) ? Names::Odd : Names::Late;
    if (lane < 64) {
      NamedBarrier::arrive_and_wait(64, pair);  // want FP414 "Late.*Row.*14"
    }
  }

  // Each name its own number.
  __device__ void apart(int warp) {
    NamedBarrier::sync(64, Names::First);
    NamedBarrier::sync(64, Names::Second);
    NamedBarrier::sync(64, Names::Row + warp);
  }

  // Groups are counted from one.
  __device__ void groups(int group) {
    NamedBarrier::sync(64, Names::First);
    NamedBarrier::sync(64, Names::Second - 1 + group);
  }

  // How many there are before is not known here.
  __device__ void parameter(int warp) {
    NamedBarrier::sync(64, Names::Row + STAGE * kWarps + warp);
    NamedBarrier::sync(64, Names::Late);
  }

  // All have left the rows.
  __device__ void separated(int warp) {
    NamedBarrier::sync(64, Names::Row + 1 * kWarps + warp);
    __syncthreads();
    NamedBarrier::sync(64, Names::Late);
  }
};
