// The shuffles that PyTorch wraps.
#pragma once
#include <torch_stub.h>
template <class T> __device__ T WARP_SHFL(T v, int lane, int width = 32, unsigned mask = 0xffffffff) { return __shfl_sync(mask, v, lane, width); }
template <class T> __device__ T WARP_SHFL_XOR(T v, int lanes, int width = 32, unsigned mask = 0xffffffff) { return __shfl_xor_sync(mask, v, lanes, width); }
template <class T> __device__ T WARP_SHFL_DOWN(T v, int lanes, int width = 32, unsigned mask = 0xffffffff) { return __shfl_down_sync(mask, v, lanes, width); }
template <class T> __device__ T WARP_SHFL_UP(T v, int lanes, int width = 32, unsigned mask = 0xffffffff) { return __shfl_up_sync(mask, v, lanes, width); }
