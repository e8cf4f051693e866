// Functions of the device that no kernel of the file runs: by words before them that a header defines which is not here, members of specialisations, functors.
#include "device_words.h"

namespace roots {

using lib::extent_t;

// The word before it may be a macro; the body is the device's.
template <typename T>
FORCED void shift(const T* in, T* out, extent_t n) {
  __shared__ float row[256];
  int t = threadIdx.x;
  row[t] = in[t];
  out[t] = row[(t + 1) % 128];  // want FP720 "reads row"
}

template <typename T>
FORCED void shift_joined(const T* in, T* out, extent_t n) {
  __shared__ float row[256];
  int t = threadIdx.x;
  row[t] = in[t];
  __syncthreads();
  out[t] = row[(t + 1) % 128];
}

template <typename Op, typename Tag, bool WIDE>
struct Fold;

// A word that the last thread sets for the round, and sets anew while others may still read it.
template <typename Op, typename Tag>
struct Fold<Op, Tag, true> {
  __device__ static void count(const float* in, int* out, const extent_t rows, const lib::extent_t columns) {
    __shared__ int found;
    if (blockIdx.x < rows) {
      int at = 0;
      for (extent_t c = threadIdx.x; c < columns + threadIdx.x; c += 128) {
        int mine = c < columns && in[blockIdx.x * columns + c] != 0.0f;
        if (threadIdx.x == 127) found = mine;
        __syncthreads();
        at += found;  // want FP720 "reads found"
      }
      out[blockIdx.x * 128 + threadIdx.x] = at;
    }
  }

  __device__ static void count_joined(const float* in, int* out, const extent_t rows, const lib::extent_t columns) {
    __shared__ int found;
    if (blockIdx.x < rows) {
      int at = 0;
      for (extent_t c = threadIdx.x; c < columns + threadIdx.x; c += 128) {
        int mine = c < columns && in[blockIdx.x * columns + c] != 0.0f;
        if (threadIdx.x == 127) found = mine;
        __syncthreads();
        at += found;
        __syncthreads();
      }
      out[blockIdx.x * 128 + threadIdx.x] = at;
    }
  }
};

// What an operation that the template is given is handed, it accesses: a part of a warp cannot wait in it for the others.
template <typename Op>
struct Fold<Op, void, false> {
  using Element = typename Op::element;

  __device__ static void tree(const Op& op, Element* part, Element value) {
    int t = threadIdx.y * blockDim.x + threadIdx.x, lane = t % 32;
    part[t] = value;  // want FP720 "writes part"
    if (lane < 16) Op::merge(op, part + t, part + t + 16);
    __syncthreads();
  }

  __device__ static void tree_joined(const Op& op, Element* part, Element value) {
    int t = threadIdx.y * blockDim.x + threadIdx.x, lane = t % 32;
    part[t] = value;
    __syncwarp();
    if (lane < 16) Op::merge(op, part + t, part + t + 16);
    __syncthreads();
  }

  // All of it may wait there for who wrote.
  __device__ static void whole(const Op& op, Element* part, Element value) {
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    part[t] = value;
    Op::merge(op, part + t, part + (t ^ 1));
    __syncthreads();
  }
};

// Storage that is handed by reference, and kept so.
struct Words {
  float part[128];
  float total;
};

struct Keeper {
  Words& words;

  __device__ float sum(float v) {
    words.part[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
      float all = 0.0f;
      for (int k = 0; k < 128; ++k) all += words.part[k];
      words.total = all;  // want FP720 "writes this.words"
    }
    return words.part[127 - threadIdx.x] + words.total;
  }

  __device__ float sum_joined(float v) {
    words.part[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
      float all = 0.0f;
      for (int k = 0; k < 128; ++k) all += words.part[k];
      words.total = all;
    }
    __syncthreads();
    return words.part[127 - threadIdx.x] + words.total;
  }
};

template <typename Policy, typename Store>
__device__ float turned(Store& store, float v) {
  store.tile[threadIdx.x] = v;
  float out = store.tile[threadIdx.x ^ 32];  // want FP720 "reads store.tile"
  __syncthreads();
  return out;
}

template <typename Policy, typename Store>
__device__ float turned_joined(Store& store, float v) {
  store.tile[threadIdx.x] = v;
  __syncthreads();
  float out = store.tile[threadIdx.x ^ 32];
  __syncthreads();
  return out;
}

// What is a thread's own, all of them access alike.
template <typename Piece>
__device__ float own(Piece& piece, float v) {
  piece.value[0] = v;
  piece.value[1] = piece.value[0] + 1.0f;
  __syncthreads();
  return piece.value[1];
}

}  // namespace roots
