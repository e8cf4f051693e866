#pragma once
#include <torch_stub.h>
template <class T> __device__ void gpuAtomicAdd(T *at, T v) { atomicAdd(at, v); }
template <class T> __device__ void gpuAtomicAddNoReturn(T *at, T v) { atomicAdd(at, v); }
