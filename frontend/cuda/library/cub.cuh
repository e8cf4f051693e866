// Models of CUB's collectives (https://nvidia.github.io/cccl/cub): who may wait for whom, and what of the temporary storage is accessed when. All threads
// of the CTA (or the warp) call them; they write the storage, meet, and read what others wrote. It may be used again behind a barrier only: "A
// subsequent __syncthreads() threadblock barrier should be invoked after calling this method if the collective's temporary storage is to be
// reused or repurposed." What they compute is not followed:
// FENCEPOST_ANY is any value, and fencepost_set may assign to what it is handed. The algorithms that these collectives have by default, of CTAs of more than
// one warp, synchronize at least once; those of one warp may do with shuffles, and what is the warp's own is not reported.

#define FENCEPOST_ANY(T) ((T)clock64())

namespace cub {

// One word of each thread: there are as many as the collective is made for, and an extent of 1 is one that threads do not differ in
// (cub::RowMajorTid).
template <int X, int Y = 1, int Z = 1> struct Storage {
  unsigned words[X * Y * Z];
  int valid;
};

__device__ inline unsigned fencepost_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

// The thread's number among those that a collective is made for.
template <int X, int Y, int Z> __device__ inline unsigned fencepost_among() { return threadIdx.x + (Y == 1 ? 0 : threadIdx.y * X) + (Z == 1 ? 0 : threadIdx.z * X * Y); }

template <int X, int Y, int Z> __device__ inline void fencepost_block(Storage<X, Y, Z>* storage) {
  unsigned rank = fencepost_among<X, Y, Z>();
  __builtin_assume(blockDim.x == X); // "the thread block length along the X dimension"; a collective of one warp has no barrier
  if (X * Y * Z > 32) {
    storage->words[rank] = FENCEPOST_ANY(unsigned);
    fencepost_gather();
    unsigned other = storage->words[(rank + 32) % (X * Y * Z)];
  } else {
    __syncwarp();
  }
}

// Each lane takes from those behind it: what a lane has that is not there is not defined.
template <int LANES> __device__ inline void fencepost_warp() {
  unsigned lane = fencepost_rank() % 32;
  if (LANES == 32) {
    __shfl_down_sync(0xffffffffu, 0, 16);
  } else {
    __shfl_sync(((1u << LANES) - 1) << (lane / LANES * LANES), 0, 0);
  }
}

// Each lane takes from those before it, or from as many as it says that there are.
template <int LANES> __device__ inline void fencepost_first() {
  unsigned lane = fencepost_rank() % 32;
  __shfl_sync(LANES == 32 ? 0xffffffffu : ((1u << LANES) - 1) << (lane / LANES * LANES), 0, 0);
}

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };

struct Sum {};
struct Max {};
struct Min {};
struct ArgMax {};
struct ArgMin {};
struct Equality {};
struct Inequality {};
struct Difference {};
struct Division {};

template <typename K, typename V> struct KeyValuePair {
  K key;
  V value;
};

template <typename T, int X, int ALGORITHM = 2, int Y = 1, int Z = 1> struct BlockReduce {
  using TempStorage = Storage<X, Y, Z>;
  TempStorage* storage;
  __device__ BlockReduce(TempStorage& s) : storage(&s) {}
  __device__ BlockReduce() {
    __shared__ TempStorage own;
    storage = &own;
  }
  template <typename V> __device__ T Sum(V value) { fencepost_reduced<true>(); return FENCEPOST_ANY(T); }
  template <typename V> __device__ T Sum(V value, int valid) { fencepost_reduced<false>(); return FENCEPOST_ANY(T); }
  template <int ITEMS> __device__ T Sum(T (&items)[ITEMS]) { fencepost_reduced<true>(); return FENCEPOST_ANY(T); }
  template <typename V, typename F> __device__ T Reduce(V value, F f) { fencepost_reduced<true>(); return FENCEPOST_ANY(T); }
  template <typename V, typename F> __device__ T Reduce(V value, F f, int valid) { fencepost_reduced<false>(); return FENCEPOST_ANY(T); }
  template <int ITEMS, typename F> __device__ T Reduce(T (&items)[ITEMS], F f) { fencepost_reduced<true>(); return FENCEPOST_ANY(T); }
  // What each warp has, here of four words, goes to the first thread, or what each thread has to the first warp (cub/block/specializations/block_reduce_warp_reductions.cuh and
  // block_reduce_raking.cuh of CCCL 3.0).
  template <bool FULL> __device__ void fencepost_reduced() {
    const int count = X * Y * Z;
    unsigned rank = fencepost_among<X, Y, Z>(), other;
    __builtin_assume(FULL ? blockDim.x == X : blockDim.x <= X); // where it is said how many items are valid, there may be fewer threads
    if (count <= 32) {
      __syncwarp();
    } else if (ALGORITHM == 2) {
      if (rank % 32 == 0) {
        for (int i = 0; i < 4; i++) storage->words[rank / 32 * 4 + i] = 0;
      }
      if (FULL) {
        fencepost_gather();
      } else {
        __syncthreads();
      }
      if (rank == 0) {
        for (int i = 4; i < ((FULL ? count : blockDim.x * blockDim.y * blockDim.z) + 31) / 32 * 4; i++) other = storage->words[i];
      }
    } else {
      storage->words[rank] = 0;
      if (FULL) {
        fencepost_gather();
      } else {
        __syncthreads();
      }
      if (rank < 32) {
        for (int i = rank; i < (FULL ? count : blockDim.x * blockDim.y * blockDim.z); i += 32) other = storage->words[i];
      }
    }
  }
};

// Room for an object that nobody makes (cub/util_type.cuh of CCCL 3.0).
template <typename T> struct Uninitialized {
  T object;
  __device__ T& Alias() { return object; }
};

// The largest words that an object is a number of (cub/util_type.cuh of CCCL 3.0).
template <typename T> struct UnitWord {
  using ShuffleWord = std::conditional_t<sizeof(T) % sizeof(int) == 0 && alignof(T) % alignof(int) == 0, unsigned int, std::conditional_t<sizeof(T) % sizeof(short) == 0 && alignof(T) % alignof(short) == 0, unsigned short, unsigned char>>;
  using VolatileWord = std::conditional_t<sizeof(T) % sizeof(long long) == 0 && alignof(T) % alignof(long long) == 0, unsigned long long, ShuffleWord>;
  using DeviceWord = std::conditional_t<sizeof(T) % sizeof(longlong2) == 0 && alignof(T) % alignof(longlong2) == 0, ulonglong2, VolatileWord>;
  using TextureWord = std::conditional_t<sizeof(T) % sizeof(int4) == 0 && alignof(T) % alignof(int4) == 0, uint4, std::conditional_t<sizeof(T) % sizeof(int2) == 0 && alignof(T) % alignof(int2) == 0, uint2, ShuffleWord>>;
};

template <typename T, int X, int ALGORITHM = 0, int Y = 1, int Z = 1> struct BlockScan {
  using TempStorage = Storage<X, Y, Z>;
  TempStorage* storage;
  __device__ BlockScan(TempStorage& s) : storage(&s) {}
  __device__ BlockScan() {
    __shared__ TempStorage own;
    storage = &own;
  }
  // What is told of the whole CTA goes to the thread, or to a functor of its own that the first warp calls (cub/block/block_scan.cuh of CCCL 3.0).
  template <typename C> __device__ void fencepost_told(C& all) {
    if constexpr (std::is_class_v<C> && !std::is_same_v<C, T>) {
      if (fencepost_rank() < 32) all(FENCEPOST_ANY(T));
    } else if constexpr (std::is_class_v<C>) {
      fencepost_set(all);
    } else { // the same for all
      all = (C)storage->words[0];
    }
  }
  // Of several items of each thread, too, which CUB has functions of their own for: how many these are may be said.
  template <typename A, typename B> __device__ void ExclusiveSum(A in, B& out) { fencepost_block(storage); fencepost_set(out); }
  template <int ITEMS, typename A, typename B> __device__ void ExclusiveSum(A in, B& out) { fencepost_block(storage); fencepost_set(out); }
  template <typename A, typename B> __device__ void InclusiveSum(A in, B& out) { fencepost_block(storage); fencepost_set(out); }
  template <int ITEMS, typename A, typename B> __device__ void InclusiveSum(A in, B& out) { fencepost_block(storage); fencepost_set(out); }
  template <typename A, typename B, typename C> __device__ void ExclusiveSum(A in, B& out, C& all) { fencepost_block(storage); fencepost_set(out); fencepost_told(all); }
  template <int ITEMS, typename A, typename B, typename C> __device__ void ExclusiveSum(A in, B& out, C& all) { fencepost_block(storage); fencepost_set(out); fencepost_told(all); }
  template <typename A, typename B, typename C> __device__ void InclusiveSum(A in, B& out, C& all) { fencepost_block(storage); fencepost_set(out); fencepost_told(all); }
  template <int ITEMS, typename A, typename B, typename C> __device__ void InclusiveSum(A in, B& out, C& all) { fencepost_block(storage); fencepost_set(out); fencepost_told(all); }
  template <typename A, typename B, typename F> __device__ void InclusiveScan(A in, B& out, F f) { fencepost_block(storage); fencepost_set(out); }
  template <int ITEMS, typename A, typename B, typename F> __device__ void InclusiveScan(A in, B& out, F f) { fencepost_block(storage); fencepost_set(out); }
  template <typename A, typename B, typename F, typename C> __device__ void InclusiveScan(A in, B& out, F f, C& all) { fencepost_block(storage); fencepost_set(out); fencepost_told(all); }
  template <int ITEMS, typename A, typename B, typename F, typename C> __device__ void InclusiveScan(A in, B& out, F f, C& all) { fencepost_block(storage); fencepost_set(out); fencepost_told(all); }
  template <typename A, typename B, typename F> __device__ void ExclusiveScan(A in, B& out, F f) { fencepost_block(storage); fencepost_set(out); }
  template <int ITEMS, typename A, typename B, typename F> __device__ void ExclusiveScan(A in, B& out, F f) { fencepost_block(storage); fencepost_set(out); }
  template <typename A, typename B, typename I, typename F> __device__ void ExclusiveScan(A in, B& out, I first, F f) { fencepost_block(storage); fencepost_set(out); }
  template <int ITEMS, typename A, typename B, typename I, typename F> __device__ void ExclusiveScan(A in, B& out, I first, F f) { fencepost_block(storage); fencepost_set(out); }
  template <typename A, typename B, typename I, typename F, typename C> __device__ void ExclusiveScan(A in, B& out, I first, F f, C& all) { fencepost_block(storage); fencepost_set(out); fencepost_told(all); }
  template <int ITEMS, typename A, typename B, typename I, typename F, typename C> __device__ void ExclusiveScan(A in, B& out, I first, F f, C& all) { fencepost_block(storage); fencepost_set(out); fencepost_told(all); }
};

template <typename T, int LANES = 32> struct WarpReduce {
  using TempStorage = Storage<LANES>;
  TempStorage* storage;
  __device__ WarpReduce(TempStorage& s) : storage(&s) {}
  template <typename V> __device__ T Sum(V value) { fencepost_warp<LANES>(); return FENCEPOST_ANY(T); }
  template <typename V> __device__ T Sum(V value, int valid) { fencepost_first<LANES>(); return FENCEPOST_ANY(T); }
  template <typename V, typename F> __device__ T Reduce(V value, F f) { fencepost_warp<LANES>(); return FENCEPOST_ANY(T); }
  template <typename V, typename F> __device__ T Reduce(V value, F f, int valid) { fencepost_first<LANES>(); return FENCEPOST_ANY(T); }
};

template <typename T, int LANES = 32> struct WarpScan {
  using TempStorage = Storage<LANES>;
  TempStorage* storage;
  __device__ WarpScan(TempStorage& s) : storage(&s) {}
  template <typename A, typename B> __device__ void ExclusiveSum(A in, B& out) { fencepost_first<LANES>(); fencepost_set(out); }
  template <typename A, typename B> __device__ void InclusiveSum(A in, B& out) { fencepost_first<LANES>(); fencepost_set(out); }
  template <typename A, typename B, typename F> __device__ void InclusiveScan(A in, B& out, F f) { fencepost_first<LANES>(); fencepost_set(out); }
};

template <typename K, int X, int ITEMS, typename V = int, int RADIX = 4> struct BlockRadixSort {
  using TempStorage = Storage<X>;
  TempStorage* storage;
  __device__ BlockRadixSort(TempStorage& s) : storage(&s) {}
  __device__ BlockRadixSort() {
    __shared__ TempStorage own;
    storage = &own;
  }
  template <typename A> __device__ void Sort(A& keys, int from = 0, int to = 32) { fencepost_sorted(keys); }
  template <typename A> __device__ void SortDescending(A& keys, int from = 0, int to = 32) { fencepost_sorted(keys); }
  template <typename A> __device__ void SortBlockedToStriped(A& keys, int from = 0, int to = 32) { fencepost_sorted(keys); }
  template <typename A> __device__ void SortDescendingBlockedToStriped(A& keys, int from = 0, int to = 32) { fencepost_sorted(keys); }
  __device__ void Sort(K (&keys)[ITEMS], V (&values)[ITEMS], int from = 0, int to = 32) { fencepost_sorted(keys); fencepost_set(values); }
  __device__ void SortDescending(K (&keys)[ITEMS], V (&values)[ITEMS], int from = 0, int to = 32) { fencepost_sorted(keys); fencepost_set(values); }
  __device__ void SortBlockedToStriped(K (&keys)[ITEMS], V (&values)[ITEMS], int from = 0, int to = 32) { fencepost_sorted(keys); fencepost_set(values); }
  __device__ void SortDescendingBlockedToStriped(K (&keys)[ITEMS], V (&values)[ITEMS], int from = 0, int to = 32) { fencepost_sorted(keys); fencepost_set(values); }
  template <typename A> __device__ void fencepost_sorted(A& keys) {
    fencepost_block(storage);
    fencepost_set(keys);
  }
};

template <typename K, int X, int ITEMS, typename V = int> struct BlockMergeSort {
  using TempStorage = Storage<X>;
  TempStorage* storage;
  __device__ BlockMergeSort(TempStorage& s) : storage(&s) {}
  template <typename A, typename F> __device__ void Sort(A& keys, F f) { fencepost_sorted(keys); }
  template <typename A, typename F> __device__ void StableSort(A& keys, F f) { fencepost_sorted(keys); }
  template <typename F> __device__ void Sort(K (&keys)[ITEMS], V (&values)[ITEMS], F f) { fencepost_sorted(keys); fencepost_set(values); }
  template <typename F> __device__ void StableSort(K (&keys)[ITEMS], V (&values)[ITEMS], F f) { fencepost_sorted(keys); fencepost_set(values); }
  template <typename A> __device__ void fencepost_sorted(A& keys) {
    fencepost_block(storage);
    fencepost_set(keys);
  }
};

// Loads and stores by threads of their own have no need to meet; the algorithms that transpose do, those by warps with the lanes of theirs, warp after warp where time is sliced (cub/block/block_exchange.cuh of CCCL 3.0).
template <int ALGORITHM, int X, int Y, int Z> __device__ inline void fencepost_exchange(Storage<X, Y, Z>* storage) {
  if (ALGORITHM == 3) {
    fencepost_block(storage);
  } else if (ALGORITHM == 4) {
    unsigned rank = fencepost_rank();
    storage->words[rank] = 0;
    __syncwarp();
    unsigned other = storage->words[rank / 32 * 32 + (rank + 1) % 32];
  } else if (ALGORITHM == 5) {
    for (int warp = 0; warp < (X * Y * Z + 31) / 32; warp++) {
      if (warp > 0) __syncthreads();
      if (fencepost_rank() / 32 == warp) {
        storage->words[fencepost_rank() % 32] = 0;
        __syncwarp();
        unsigned other = storage->words[(fencepost_rank() + 1) % 32];
      }
    }
  }
}

template <typename T, int X, int ITEMS, int ALGORITHM = 0, int Y = 1, int Z = 1> struct BlockLoad {
  using TempStorage = Storage<X, Y, Z>;
  TempStorage* storage;
  __device__ BlockLoad(TempStorage& s) : storage(&s) {}
  template <typename P, typename A> __device__ void Load(P from, A& items) { fencepost_items(items); }
  template <typename P, typename A> __device__ void Load(P from, A& items, int valid) { fencepost_items(items); }
  template <typename P, typename A, typename D> __device__ void Load(P from, A& items, int valid, D otherwise) { fencepost_items(items); }
  template <typename A> __device__ void fencepost_items(A& items) {
    fencepost_exchange<ALGORITHM>(storage);
    fencepost_set(items);
  }
};

template <typename T, int X, int ITEMS, int ALGORITHM = 0, int Y = 1, int Z = 1> struct BlockStore {
  using TempStorage = Storage<X, Y, Z>;
  TempStorage* storage;
  __device__ BlockStore(TempStorage& s) : storage(&s) {}
  template <typename P, typename A> __device__ void Store(P to, A& items) { fencepost_items(to); }
  // The number of valid items goes through shared memory, from the first thread to all of them (cub/block/block_store.cuh of CCCL 3.0).
  template <typename P, typename A> __device__ void Store(P to, A& items, int valid) {
    fencepost_items(to);
    if (ALGORITHM >= 3) {
      if (fencepost_rank() == 0) storage->valid = valid;
      __syncthreads();
      int all = storage->valid;
    }
  }
  template <typename P> __device__ void fencepost_items(P to) {
    fencepost_exchange<ALGORITHM>(storage);
    fencepost_set(to + (int)clock64());
  }
};

template <typename T, int X, int ITEMS, bool SLICED = false, int Y = 1, int Z = 1> struct BlockExchange {
  using TempStorage = Storage<X, Y, Z>;
  TempStorage* storage;
  __device__ BlockExchange(TempStorage& s) : storage(&s) {}
  template <typename A> __device__ void StripedToBlocked(A& items) { fencepost_block(storage); fencepost_set(items); }
  template <typename A, typename B> __device__ void StripedToBlocked(A& items, B& out) { fencepost_block(storage); fencepost_set(out); }
  template <typename A> __device__ void BlockedToStriped(A& items) { fencepost_block(storage); fencepost_set(items); }
  template <typename A, typename B> __device__ void BlockedToStriped(A& items, B& out) { fencepost_block(storage); fencepost_set(out); }
  template <typename A, typename R> __device__ void ScatterToBlocked(A& items, R& ranks) { fencepost_block(storage); fencepost_set(items); }
  template <typename A, typename B, typename R> __device__ void ScatterToBlocked(A& items, B& out, R& ranks) { fencepost_block(storage); fencepost_set(out); }
  template <typename A, typename R> __device__ void ScatterToStriped(A& items, R& ranks) { fencepost_block(storage); fencepost_set(items); }
  template <typename A, typename B, typename R> __device__ void ScatterToStriped(A& items, B& out, R& ranks) { fencepost_block(storage); fencepost_set(out); }
};

// The last item of each thread, or its first, goes to its neighbour (cub/block/block_adjacent_difference.cuh and block_discontinuity.cuh of CCCL 3.0).
template <typename T, int X, int Y = 1, int Z = 1> struct BlockAdjacentDifference {
  using TempStorage = Storage<X, Y, Z>;
  TempStorage* storage;
  __device__ BlockAdjacentDifference(TempStorage& s) : storage(&s) {}
  template <typename A, typename B, typename F> __device__ void SubtractLeft(A& in, B& out, F f) { fencepost_block(storage); fencepost_set(out); }
  template <typename A, typename B, typename F> __device__ void SubtractLeft(A& in, B& out, F f, T before) { fencepost_block(storage); fencepost_set(out); }
  template <typename A, typename B, typename F> __device__ void SubtractLeftPartialTile(A& in, B& out, F f, int valid) { fencepost_block(storage); fencepost_set(out); }
  template <typename A, typename B, typename F> __device__ void SubtractRight(A& in, B& out, F f) { fencepost_block(storage); fencepost_set(out); }
  template <typename A, typename B, typename F> __device__ void SubtractRight(A& in, B& out, F f, T behind) { fencepost_block(storage); fencepost_set(out); }
  template <typename A, typename B, typename F> __device__ void SubtractRightPartialTile(A& in, B& out, F f, int valid) { fencepost_block(storage); fencepost_set(out); }
};

template <typename T, int X, int Y = 1, int Z = 1> struct BlockDiscontinuity {
  using TempStorage = Storage<X, Y, Z>;
  TempStorage* storage;
  __device__ BlockDiscontinuity(TempStorage& s) : storage(&s) {}
  template <typename A, typename B, typename F> __device__ void FlagHeads(B& flags, A& in, F f) { fencepost_block(storage); fencepost_set(flags); }
  template <typename A, typename B, typename F> __device__ void FlagHeads(B& flags, A& in, F f, T before) { fencepost_block(storage); fencepost_set(flags); }
  template <typename A, typename B, typename F> __device__ void FlagTails(B& flags, A& in, F f) { fencepost_block(storage); fencepost_set(flags); }
  template <typename A, typename B, typename F> __device__ void FlagTails(B& flags, A& in, F f, T behind) { fencepost_block(storage); fencepost_set(flags); }
  template <typename A, typename B, typename C, typename F> __device__ void FlagHeadsAndTails(B& heads, C& tails, A& in, F f) { fencepost_block(storage); fencepost_set(heads); fencepost_set(tails); }
};

}  // namespace cub

// hipCUB has the same collectives by the same names (https://rocm.docs.amd.com/projects/hipCUB).
namespace hipcub = cub;
