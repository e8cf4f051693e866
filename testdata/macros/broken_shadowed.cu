// As in shadowed.cu, with no barrier.
// expect: violated race
// small: -

#define ADDRESS(at) static_cast<unsigned>(__cvta_generic_to_shared(at))
#define SUM(a, b) (a) + (b)

struct Position {
  int slot;
};

__global__ void turned(const float* in, float* out) {
  __shared__ float rows[3][96];
  Position at{1};
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(ADDRESS(&rows[at.slot][threadIdx.x])), "f"(in[threadIdx.x]) : "memory");
  int a = 90, b = 5;
  out[threadIdx.x] = rows[1][SUM(max(b, 1), max(a, 2)) - threadIdx.x];  // want FP720
}

void run(const float* in, float* out) { turned<<<1, 96>>>(in, out); }
