__device__ int get_acquire(const int* at) {
  int value;
  asm volatile("ld.acquire.sys.global.s32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

// Each rank looks at its own word.
__global__ void meet(int* arrived, int** peers, int rank, int ranks, long long patience) {
  if (threadIdx.x == 0) atomicAdd(arrived + rank, 1);
  __syncthreads();
  const int round = arrived[rank];
  const int peer = threadIdx.x;
  if (peer < ranks && peer != rank) {
    const auto word = reinterpret_cast<unsigned long long>(arrived + rank);
    atomicExch_system(&peers[peer][rank], round);
    const long long start = clock64();
    long long waited = 0;
    while (ld_acquire_sys_global(reinterpret_cast<int*>(word)) != round && (waited = clock64() - start) <= patience) {  // want FP309 "ends at once"
    }
    if (waited > patience) __trap();
  }
  __syncthreads();
}

// Each rank looks at the words of the others.
__global__ void right(int* arrived, int** peers, int rank, int ranks) {
  if (threadIdx.x == 0) atomicAdd(arrived + rank, 1);
  __syncthreads();
  const int round = arrived[rank];
  const int peer = threadIdx.x;
  if (peer < ranks && peer != rank) {
    atomicExch_system(&peers[peer][rank], round);
    while (get_acquire(arrived + peer) != round) {
    }
  }
  __syncthreads();
}

// A wait for a change.
__global__ void change(int* generation, int* out) {
  const int before = generation[0];
  out[threadIdx.x] = before;
  while (get_acquire(generation) == before) {
  }
}

// Two looks that have to agree.
__global__ void stable(volatile int* words, int* out) {
  int seen = words[0];
  while (words[0] != seen) {
    seen = words[0];
  }
  out[threadIdx.x] = seen;
}

// The word is raised, and whoever takes it puts it back.
__global__ void offer(int* box, int* out) {
  const int empty = box[0];
  atomicExch(box, empty + 1);
  while (get_acquire(box) != empty) {
  }
  out[threadIdx.x] = empty;
}

// Somebody else may change the word meanwhile.
__global__ void asked(int* box, int* out) {
  const int empty = box[0];
  ask_for_more(box, 1);
  while (get_acquire(box) != empty) {
  }
  out[threadIdx.x] = empty;
}
