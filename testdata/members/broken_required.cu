// Whether the state has room for marks is asked of its class: it has, and they are read before others have cleared them.
// expect: violated race
// small: -
struct plain { int seen[64]; };
struct marked { int seen[64]; int marks[64]; };

template <class State>
__device__ void clear(State* s) {
  s->seen[threadIdx.x] = 0;
  if constexpr (requires { s->marks; }) { s->marks[threadIdx.x] = 1; }
}

template <class State>
__global__ void __launch_bounds__(64) count(int* out) {
  __shared__ State state;
  clear(&state);
  int sum = state.seen[threadIdx.x];
  if constexpr (requires { state.marks; }) { sum += state.marks[63 - threadIdx.x]; }
  out[threadIdx.x] = sum;
}

void run(int* out) {
  count<marked><<<1, 64>>>(out);
}
