using Barrier = cutlass::arch::ClusterBarrier;

template <int kStages>
__global__ void by_name(int n) {
  __shared__ Barrier full[kStages];
  for (int i = 0; i < n; ++i) {
    full[i % kStages].wait(i & 1);  // want FP103 "flips every iteration"
  }
}

template <int kStages>
__global__ void right_by_name(int n) {
  __shared__ Barrier full[kStages];
  for (int i = 0; i < n; ++i) {
    full[i % kStages].wait((i / kStages) & 1);
  }
}

__global__ void two_stages(int n) {
  __shared__ Barrier full[2];
  for (int i = 0; i < n; ++i) {
    full[i & 1].wait((i >> 1) & 1);
  }
}

__global__ void four_by_mask(int n) {
  __shared__ Barrier full[4];
  for (int i = 0; i < n; ++i) {
    full[i & 3].wait((i >> 1) & 1);  // want FP103 "every 2 iterations, but the ring has 4 stages"
  }
}

// One phase bit a stage, packed in a word.
__global__ void bit_field(int n) {
  __shared__ Barrier full[4];
  uint32_t bits = 0;
  for (int i = 0; i < n; ++i) {
    int stage = i % 4;
    full[stage].wait((bits >> stage) & 1);
    bits ^= 1u << stage;
  }
}
