// cuRAND's device API (cuRAND Library, Device API): a call reads the state of a generator and writes it, and so does curand_init where it skips ahead. What is
// drawn is not followed. A state is as large as the library has it, and a word of it stands for all.
struct curandStateXORWOW { unsigned int d, a, b, c, e, f; int flag, other; float extra; double more; };
struct curandStateMRG32k3a { unsigned int s[12]; int flag, other; float extra; double more; };
struct curandStatePhilox4_32_10 { unsigned int counter[4], output[4], key[2], state; int flag, other; float extra; double more; };
struct curandStateSobol32 { unsigned int i, x, c, d[32]; };
struct curandStateScrambledSobol32 { unsigned int i, x, c, d[32]; };
struct curandStateSobol64 { unsigned long long i, x, c, d[64]; };
struct curandStateScrambledSobol64 { unsigned long long i, x, c, d[64]; };
struct curandStateMtgp32 { unsigned int s[1024]; int offset; int index; void* parameters; };
using curandState_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandStateXORWOW_t = curandStateXORWOW;
using curandStateMRG32k3a_t = curandStateMRG32k3a;
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;
using curandStateSobol32_t = curandStateSobol32;
using curandStateScrambledSobol32_t = curandStateScrambledSobol32;
using curandStateSobol64_t = curandStateSobol64;
using curandStateScrambledSobol64_t = curandStateScrambledSobol64;
using curandStateMtgp32_t = curandStateMtgp32;

template <typename S> __device__ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, S* s) {
  unsigned int* word = (unsigned int*)s;
  *word = (unsigned int)seed;
  *word = *word + (unsigned int)(sequence + offset);
}
template <typename S> __device__ void skipahead(unsigned long long n, S* s) {
  unsigned int* word = (unsigned int*)s;
  *word = *word + (unsigned int)n;
}
template <typename S> __device__ void skipahead_sequence(unsigned long long n, S* s) {
  unsigned int* word = (unsigned int*)s;
  *word = *word + (unsigned int)n;
}

template <typename S> __device__ unsigned int curand(S* s) {
  unsigned int* word = (unsigned int*)s;
  unsigned int x = *word * 1664525u + 1013904223u;
  *word = x;
  return x;
}
// The threads of a CTA, of which there are no more than 256, share a state: each makes a word of three, and the first one moves on. By how much the ring has
// come round is the same for all.
__device__ unsigned int curand(curandStateMtgp32* s) {
  int threads = blockDim.x * blockDim.y * blockDim.z;
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int offset = s->offset;
  unsigned int x = s->s[t & 1023] ^ s->s[(t + 1) & 1023] ^ s->s[(t + 95) & 1023];
  s->s[(t + 351) & 1023] = x;
  __syncthreads();
  if (t == 0) s->offset = (offset + threads) & 1023;
  __syncthreads();
  return x;
}
template <typename S> __device__ float curand_uniform(S* s) { return curand(s) * 2.3283064e-10f; }
template <typename S> __device__ double curand_uniform_double(S* s) { return curand(s) * 2.3283064e-10; }
template <typename S> __device__ float curand_normal(S* s) { return curand(s) * 2.3283064e-10f; }
template <typename S> __device__ double curand_normal_double(S* s) { return curand(s) * 2.3283064e-10; }
template <typename S> __device__ float curand_log_normal(S* s, float mean, float deviation) { return curand(s) * deviation + mean; }
template <typename S> __device__ double curand_log_normal_double(S* s, double mean, double deviation) { return curand(s) * deviation + mean; }
template <typename S> __device__ unsigned int curand_poisson(S* s, double lambda) { return curand(s); }
template <typename S> __device__ float2 curand_normal2(S* s) { float x = curand(s) * 2.3283064e-10f; return make_float2(x, x + 1.f); }
template <typename S> __device__ double2 curand_normal2_double(S* s) { double x = curand(s) * 2.3283064e-10; return make_double2(x, x + 1.); }
template <typename S> __device__ double2 curand_uniform2_double(S* s) { double x = curand(s) * 2.3283064e-10; return make_double2(x, x + 1.); }
template <typename S> __device__ uint4 curand4(S* s) { unsigned int x = curand(s); return make_uint4(x, x + 1u, x + 2u, x + 3u); }
template <typename S> __device__ float4 curand_uniform4(S* s) { float x = curand(s) * 2.3283064e-10f; return make_float4(x, x + 1.f, x + 2.f, x + 3.f); }
template <typename S> __device__ float4 curand_normal4(S* s) { float x = curand(s) * 2.3283064e-10f; return make_float4(x, x + 1.f, x + 2.f, x + 3.f); }
