// A macro that makes the head of a kernel, and the body behind its use lacks the barrier: what is wrong has its own line.
// expect: violated race
// small: -
#ifdef GRIDS
#define HANDED __grid_constant__
#else
#define HANDED
#endif
#define HEAD(name, ...) template <__VA_ARGS__> __global__ void __launch_bounds__(64) name(HANDED const Given given)
#define NAMED(name) HEAD(name, int EXTENT)

struct Given {
  const float* in;
  float* out;
};

NAMED(mirror) {
  __shared__ float tile[EXTENT];
  tile[threadIdx.x] = given.in[threadIdx.x];
  given.out[threadIdx.x] = tile[EXTENT - 1 - threadIdx.x];  // want FP720
}

void run(Given given) { mirror<64><<<1, 64>>>(given); }
