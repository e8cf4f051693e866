// The gate is made by one thread, and others wait at it without having met that one; how many tiles there are says a function that is not here.
// expect: inconclusive
// small: -
struct Work;
__device__ int tiles_of(const Work* w, int after);

__device__ void pass(unsigned gate, unsigned parity) {
  asm volatile("{\n.reg .pred done;\nagain: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(gate), "r"(parity) : "memory");
}

__global__ void __launch_bounds__(64) tiles(const Work* w, const float* in, float* out) {
  __shared__ alignas(8) unsigned long long gate;
  __shared__ float tile;
  const unsigned at = (unsigned)__cvta_generic_to_shared(&gate);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  if (threadIdx.x == 0) {
    tile = in[0];
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
  }
  pass(at, 0);
  out[threadIdx.x] = tile;
  for (int k = tiles_of(w, 0); k > 0; k = tiles_of(w, k)) {
    __syncthreads();
    out[k * 64 + threadIdx.x] = in[k];
  }
}

void run(const Work* w, const float* in, float* out) { tiles<<<8, 64>>>(w, in, out); }
