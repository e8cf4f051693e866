// Enough of cuFFT that host code which calls it compiles.
#pragma once
#include <cuComplex.h>
typedef int cufftHandle;
typedef float cufftReal;
typedef cuComplex cufftComplex;
enum cufftResult { CUFFT_SUCCESS };
enum cufftType { CUFFT_R2C, CUFFT_C2R, CUFFT_C2C };
template <class... A> cufftResult cufftPlanMany(A &&...);
template <class... A> cufftResult cufftExecR2C(A &&...);
template <class... A> cufftResult cufftDestroy(A &&...);
template <class... A> cufftResult cufftSetStream(A &&...);
