// Enough of cuRAND that host code which calls it compiles.
#pragma once
typedef struct curandGeneratorStub *curandGenerator_t;
enum curandStatus_t { CURAND_STATUS_SUCCESS, CURAND_STATUS_VERSION_MISMATCH, CURAND_STATUS_NOT_INITIALIZED, CURAND_STATUS_ALLOCATION_FAILED, CURAND_STATUS_TYPE_ERROR, CURAND_STATUS_OUT_OF_RANGE, CURAND_STATUS_LENGTH_NOT_MULTIPLE, CURAND_STATUS_DOUBLE_PRECISION_REQUIRED, CURAND_STATUS_LAUNCH_FAILURE, CURAND_STATUS_PREEXISTING_FAILURE, CURAND_STATUS_INITIALIZATION_FAILED, CURAND_STATUS_ARCH_MISMATCH, CURAND_STATUS_INTERNAL_ERROR };
typedef curandStatus_t curandStatus;
enum curandRngType_t { CURAND_RNG_PSEUDO_DEFAULT, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_MTGP32 };
template <class... A> curandStatus_t curandCreateGenerator(A &&...);
template <class... A> curandStatus_t curandDestroyGenerator(A &&...);
template <class... A> curandStatus_t curandSetPseudoRandomGeneratorSeed(A &&...);
template <class... A> curandStatus_t curandSetGeneratorOffset(A &&...);
template <class... A> curandStatus_t curandSetStream(A &&...);
template <class... A> curandStatus_t curandGenerateUniform(A &&...);
template <class... A> curandStatus_t curandGenerateUniformDouble(A &&...);
template <class... A> curandStatus_t curandGenerateNormal(A &&...);
template <class... A> curandStatus_t curandGenerateNormalDouble(A &&...);
