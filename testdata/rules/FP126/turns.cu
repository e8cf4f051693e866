// Turns with the stages of a pipeline whose class is a parameter of a template: by methods, through a lambda, with a state of its own for what is given back, and what is right and looks alike.
#include <cuda_runtime.h>

template <class Pipeline, class State>
__device__ float waits(Pipeline& pipeline, State state, const float* rows, int tiles) {
  float total = 0;
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    auto token = pipeline.consumer_try_wait(state);
    pipeline.consumer_wait(state, token);
    total += rows[state.index() * 128 + threadIdx.x];
    pipeline.consumer_release(state);
    ++state;
  }
  return total;
}

template <class Pipeline, class State>
__device__ float only_looks(Pipeline& pipeline, State state, const float* rows, int tiles) {
  float total = 0;
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    auto token = pipeline.consumer_try_wait(state);
    total += rows[state.index() * 128 + threadIdx.x];
    pipeline.consumer_release(state);  // want FP126 "nothing has waited for it"
    ++state;
  }
  return total;
}

// Of two turns in each round one does not wait.
template <class Pipeline, class State>
__device__ float one_of_two(Pipeline& pipeline, State& state, const float* rows, int tiles) {
  float total = 0;
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    pipeline.consumer_wait(state);
    total += rows[state.index() * 128 + threadIdx.x];
    pipeline.consumer_release(state);
    ++state;
    total -= rows[state.index() * 128 + threadIdx.x];
    pipeline.consumer_release(state);  // want FP126 "nothing has waited for it"
    ++state;
  }
  return total;
}

// The wait for the next stage stands at the end of the round.
template <class Pipeline, class State>
__device__ float ahead(Pipeline& pipeline, State& state, const float* rows, int tiles) {
  float total = 0;
  __syncthreads();
  pipeline.consumer_wait(state);
  for (int t = 0; t < tiles; ++t) {
    total += rows[state.index() * 128 + threadIdx.x];
    pipeline.consumer_release(state);
    ++state;
    if (t + 1 < tiles) pipeline.consumer_wait(state);
  }
  return total;
}

template <class Pipeline, class State>
__device__ float keeps(Pipeline& pipeline, State& state, const float* rows, int tiles) {
  float total = 0;
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    pipeline.consumer_wait(state);  // want FP126 "never given back"
    total += rows[state.index() * 128 + threadIdx.x];
    state++;
  }
  return total;
}

// What is given back later goes by a state of its own, and the rest is given back at the end.
template <class Pipeline, class State>
__device__ float later(Pipeline& pipeline, State state, const float* rows, int tiles) {
  float total = 0;
  State behind = state;
  __syncthreads();
  pipeline.consumer_wait(state);
  total += rows[state.index() * 128 + threadIdx.x];
  ++state;
  for (int t = 1; t < tiles; ++t) {
    pipeline.consumer_wait(state);
    total += rows[state.index() * 128 + threadIdx.x];
    ++state;
    pipeline.consumer_release(behind);
    ++behind;
  }
  return total;
}

template <class Pipeline, class State>
__device__ void rest(Pipeline& pipeline, State behind, int left) {
  __syncthreads();
  behind.advance(left);
  for (int t = 0; t < left; ++t) {
    pipeline.consumer_release(behind);
    ++behind;
  }
}

// The state of what is given back goes on, and nothing is given back.
template <class Pipeline, class State>
__device__ float goes_on(Pipeline& pipeline, State state, const float* rows, int tiles) {
  float total = 0;
  State behind = state;
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    pipeline.consumer_wait(state);
    total += rows[state.index() * 128 + threadIdx.x];
    ++state;
    ++behind;  // want FP126 "never given back"
  }
  pipeline.consumer_release(behind);
  return total;
}

template <class Pipeline, class State>
__device__ void fills(Pipeline& pipeline, State state, float* rows, const float* in, int tiles) {
  __syncthreads();
  auto one = [&](int t) {
    pipeline.producer_acquire(state);
    rows[state.index() * 128 + threadIdx.x] = in[t * 128 + threadIdx.x];
    pipeline.producer_commit(state);
    ++state;
  };
  for (int t = 0; t < tiles; ++t) one(t);
}

template <class Pipeline, class State>
__device__ void overwrites(Pipeline& pipeline, State state, float* rows, const float* in, int tiles) {
  __syncthreads();
  auto one = [&](int t) {
    rows[state.index() * 128 + threadIdx.x] = in[t * 128 + threadIdx.x];
    pipeline.producer_commit(state);  // want FP126 "nothing has waited until it is free"
    ++state;
  };
  for (int t = 0; t < tiles; ++t) one(t);
}

template <class Pipeline, class State>
__device__ void silent(Pipeline& pipeline, State state, float* rows, const float* in, int tiles) {
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    pipeline.producer_acquire(state);  // want FP126 "never said that it is filled"
    rows[state.index() * 128 + threadIdx.x] = in[t * 128 + threadIdx.x];
    ++state;
  }
}

// Copies complete on the stage's barrier: nobody commits.
template <class Pipeline, class State, class Copy>
__device__ void copies(Pipeline& pipeline, State state, Copy copy, int tiles) {
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    pipeline.producer_acquire(state);
    copy(pipeline.producer_get_barrier(state), t, state.index());
    ++state;
  }
}

template <class Pipeline, class State, class Copy>
__device__ void copies_over(Pipeline& pipeline, State state, Copy copy, int tiles) {
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    copy(pipeline.producer_get_barrier(state), t, state.index());  // want FP126 "expected producer_acquire"
    ++state;
  }
}

// Somebody else may wait: a function that is handed the pipeline, or a branch that another argument of the template takes.
template <class Pipeline, class State, class Waiter>
__device__ float elsewhere(Pipeline& pipeline, State state, Waiter waiter, const float* rows, int tiles) {
  float total = 0;
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    waiter(pipeline, state);
    total += rows[state.index() * 128 + threadIdx.x];
    pipeline.consumer_release(state);
    ++state;
  }
  return total;
}

template <bool Waits, class Pipeline, class State>
__device__ float chosen(Pipeline& pipeline, State state, const float* rows, int tiles) {
  float total = 0;
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    if constexpr (Waits) pipeline.consumer_wait(state);
    total += rows[state.index() * 128 + threadIdx.x];
    pipeline.consumer_release(state);
    ++state;
  }
  return total;
}

// Both stages are waited for before either is given back.
template <class Pipeline, class State>
__device__ float together(Pipeline& pipeline, State state, const float* rows) {
  float total = 0;
  State behind = state;
  __syncthreads();
  pipeline.consumer_wait(state);
  total += rows[state.index() * 128 + threadIdx.x];
  ++state;
  pipeline.consumer_wait(state);
  total += rows[state.index() * 128 + threadIdx.x];
  ++state;
  pipeline.consumer_release(behind);
  ++behind;
  total *= rows[threadIdx.x];
  pipeline.consumer_release(behind);
  ++behind;
  return total;
}

// The first turn, ahead of the loop.
template <class Pipeline, class State>
__device__ void first_of_all(Pipeline& pipeline, State state, float* rows, const float* in, int tiles) {
  __syncthreads();
  rows[state.index() * 128 + threadIdx.x] = in[threadIdx.x];
  pipeline.producer_commit(state);  // want FP126 "nothing has waited until it is free"
  ++state;
  for (int t = 1; t < tiles; ++t) {
    pipeline.producer_acquire(state);
    rows[state.index() * 128 + threadIdx.x] = in[t * 128 + threadIdx.x];
    pipeline.producer_commit(state);
    ++state;
  }
}

// A step that is called has the stage from its caller, and leaves it the next one.
template <class Pipeline, class State>
__device__ void step(Pipeline& pipeline, State& state, float* rows, const float* in) {
  __syncthreads();
  rows[state.index() * 128 + threadIdx.x] = in[threadIdx.x];
  pipeline.producer_commit(state);
  ++state;
  pipeline.producer_acquire(state);
}

template <class Pipeline, class State>
__device__ void steps(Pipeline& pipeline, State state, float* rows, const float* in, int tiles) {
  pipeline.producer_acquire(state);
  for (int t = 0; t < tiles; ++t) step(pipeline, state, rows, in + t * 128);
}
