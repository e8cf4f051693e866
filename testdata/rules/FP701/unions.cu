// A stage that works in a union: each step leaves something behind that the next one overwrites.
template <bool B>
struct Choice {};

template <typename Key, typename Value, int THREADS, int ITEMS, LoadAlgorithm LOAD_ALGORITHM>
struct Stage {
  typedef cub::BlockLoad<Value, THREADS, ITEMS, LOAD_ALGORITHM> LoadValues;
  typedef cub::BlockExchange<Key, THREADS, ITEMS> ExchangeKeys;

  union Space {
    typename LoadValues::TempStorage load_values;
    typename ExchangeKeys::TempStorage exchange;
    struct {
      Key keys[THREADS * ITEMS];
      int offsets[THREADS];
    };
  };
  struct TempStorage : Wrapped<Space> {};

  TempStorage& temp_storage;
  Key* out;

  __device__ void scatter(const Key (&keys)[ITEMS], const int (&ranks)[ITEMS]) {
    for (int i = 0; i < ITEMS; ++i) temp_storage.keys[ranks[i]] = keys[i];
    __syncthreads();
    for (int i = 0; i < ITEMS; ++i) out[i * THREADS + threadIdx.x] = temp_storage.keys[i * THREADS + threadIdx.x];
  }

  __device__ void values(Value (&values)[ITEMS], const Value* in, Choice<true>) {
    LoadValues(temp_storage.load_values).Load(in, values);  // want FP701 "temp_storage.load_values. lies where slower threads may still read"
  }

  __device__ void values(Value (&values)[ITEMS], const Value* in, Choice<false>) {}

  __device__ void tile(const Key (&keys)[ITEMS], const int (&ranks)[ITEMS], const Value* in) {
    Value loaded[ITEMS];
    scatter(keys, ranks);
    values(loaded, in, Choice<ITEMS == 4>());
  }

  __device__ void exchanged(Key (&keys)[ITEMS], const int (&ranks)[ITEMS], const Value* in) {
    Value loaded[ITEMS];
    ExchangeKeys(temp_storage.exchange).ScatterToStriped(keys, ranks);
    LoadValues loader(temp_storage.load_values);
    loader.Load(in, loaded);  // want FP701 "temp_storage.load_values. lies where"
  }
};

template <typename Key, typename Value, int THREADS, int ITEMS, LoadAlgorithm LOAD_ALGORITHM>
struct JoinedStage {
  typedef cub::BlockLoad<Value, THREADS, ITEMS, LOAD_ALGORITHM> LoadValues;

  union Space {
    typename LoadValues::TempStorage load_values;
    Key keys[THREADS * ITEMS];
  };
  struct Together {
    typename LoadValues::TempStorage load_others;
    Key others[THREADS * ITEMS];
  };
  struct TempStorage : Wrapped<Space> {};

  TempStorage& temp_storage;
  Key* out;

  __device__ void values(Value (&values)[ITEMS], const Value* in, Choice<true>) {
    __syncthreads();
    LoadValues(temp_storage.load_values).Load(in, values);
  }

  __device__ void values(Value (&values)[ITEMS], const Value* in, Choice<false>) {}

  __device__ void tile(const Key (&keys)[ITEMS], const int (&ranks)[ITEMS], const Value* in) {
    Value loaded[ITEMS];
    for (int i = 0; i < ITEMS; ++i) temp_storage.keys[ranks[i]] = keys[i];
    __syncthreads();
    for (int i = 0; i < ITEMS; ++i) out[i * THREADS + threadIdx.x] = temp_storage.keys[i * THREADS + threadIdx.x];
    values(loaded, in, Choice<ITEMS == 4>());
  }

  __device__ void side_by_side(const Value* in) {
    Value loaded[ITEMS];
    out[threadIdx.x] = temp_storage.others[threadIdx.x];
    LoadValues(temp_storage.load_others).Load(in, loaded);
  }
};
