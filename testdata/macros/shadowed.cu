// The argument of a macro has the name that its parameter has: it is what the name is where the macro is used.
// expect: holds
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
  __syncthreads();
  int a = 90, b = 5;
  out[threadIdx.x] = rows[1][SUM(max(b, 1), max(a, 2)) - threadIdx.x];
}

void run(const float* in, float* out) { turned<<<1, 96>>>(in, out); }
