// Whether the state has marks is asked of its class, which a macro that is not here may have given some.
// expect: inconclusive
// small: -
struct state_t {
  int seen[64];
  WITH_MARKS(int, 64) int last;
};

template <class State>
__global__ void __launch_bounds__(64) count(int* out) {
  __shared__ State state;
  if constexpr (requires { state.marks; }) { state.seen[63 - threadIdx.x] = 2; }
  state.seen[threadIdx.x] = 1;
  out[threadIdx.x] = state.seen[threadIdx.x];
}

void run(int* out) {
  count<state_t><<<1, 64>>>(out);
}
