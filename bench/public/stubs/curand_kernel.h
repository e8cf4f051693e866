// Enough of cuRAND's device side that kernels which call it compile: random numbers come from the state, which is memory.
#pragma once
#include "curand.h"
#include <cuda_runtime.h>
struct curandState { unsigned s[4]; };
typedef curandState curandState_t, curandStateXORWOW_t, curandStatePhilox4_32_10_t, curandStateMRG32k3a_t, curandStateMRG32k3a;
template <class S> __device__ inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, S *s) { s->s[0] = seed; s->s[1] = sequence; s->s[2] = offset; }
template <class S> __device__ inline unsigned curand(S *s) { return s->s[0] = s->s[0] * 1664525u + s->s[1]; }
template <class S> __device__ inline float curand_uniform(S *s) { return curand(s) * 2.3e-10f; }
template <class S> __device__ inline double curand_uniform_double(S *s) { return curand(s) * 2.3e-10; }
template <class S> __device__ inline float curand_normal(S *s) { return curand(s) * 2.3e-10f; }
template <class S> __device__ inline float4 curand_uniform4(S *s) { return make_float4(curand_uniform(s), curand_uniform(s), curand_uniform(s), curand_uniform(s)); }
template <class S> __device__ inline float4 curand_normal4(S *s) { return curand_uniform4(s); }
template <class S> __device__ inline uint4 curand4(S *s) { return make_uint4(curand(s), curand(s), curand(s), curand(s)); }
