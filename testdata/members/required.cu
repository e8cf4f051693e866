// Whether the state has room for marks is asked of its class: where it has, they are cleared behind the barrier.
// expect: holds
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
  __syncthreads();
  int sum = state.seen[63 - threadIdx.x];
  if constexpr (requires { state.marks; }) { sum += state.marks[63 - threadIdx.x]; }
  out[threadIdx.x] = sum;
}

void run(int* out) {
  count<marked><<<1, 64>>>(out);
  count<plain><<<1, 64>>>(out);
}
