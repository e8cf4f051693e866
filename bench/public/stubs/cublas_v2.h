// Enough of cuBLAS that host code which calls it compiles.
#pragma once
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <library_types.h>
typedef struct cublasContext *cublasHandle_t;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_INVALID_VALUE, CUBLAS_STATUS_ARCH_MISMATCH, CUBLAS_STATUS_MAPPING_ERROR, CUBLAS_STATUS_EXECUTION_FAILED, CUBLAS_STATUS_INTERNAL_ERROR, CUBLAS_STATUS_NOT_SUPPORTED, CUBLAS_STATUS_LICENSE_ERROR };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasMath_t { CUBLAS_DEFAULT_MATH, CUBLAS_TF32_TENSOR_OP_MATH, CUBLAS_TENSOR_OP_MATH, CUBLAS_PEDANTIC_MATH };
enum cublasComputeType_t { CUBLAS_COMPUTE_16F, CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_32F_FAST_16BF, CUBLAS_COMPUTE_32F_FAST_16F, CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_64F };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_ALGO0 = 0, CUBLAS_GEMM_ALGO2 = 2, CUBLAS_GEMM_ALGO23 = 23, CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99, CUBLAS_GEMM_ALGO0_TENSOR_OP = 100, CUBLAS_GEMM_ALGO15_TENSOR_OP = 115 };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
typedef cudaDataType cublasDataType_t;
// The library renames its functions in a macro; some callers use the names behind it.
#define STUB(name) template <class... A> cublasStatus_t name(A &&...); template <class... A> cublasStatus_t name##_v2(A &&...);
STUB(cublasCreate) STUB(cublasDestroy) STUB(cublasSetStream) STUB(cublasGetStream) STUB(cublasSetMathMode) STUB(cublasGetMathMode) STUB(cublasSetPointerMode) STUB(cublasGetPointerMode) STUB(cublasSetWorkspace)
STUB(cublasSgemm) STUB(cublasDgemm) STUB(cublasHgemm) STUB(cublasGemmEx) STUB(cublasSgemmEx) STUB(cublasSgemv) STUB(cublasDgemv) STUB(cublasSgemmStridedBatched) STUB(cublasDgemmStridedBatched) STUB(cublasHgemmStridedBatched)
STUB(cublasGemmStridedBatchedEx) STUB(cublasGemmBatchedEx) STUB(cublasSgemmBatched) STUB(cublasDgemmBatched) STUB(cublasSaxpy) STUB(cublasDaxpy) STUB(cublasSdot) STUB(cublasDdot) STUB(cublasSscal) STUB(cublasDscal) STUB(cublasScopy) STUB(cublasDcopy) STUB(cublasSnrm2) STUB(cublasIsamax) STUB(cublasSasum) STUB(cublasHgemmBatched)
STUB(cublasStrsm) STUB(cublasDtrsm) STUB(cublasGetVersion) STUB(cublasSrot) STUB(cublasDrot) STUB(cublasDasum) STUB(cublasDnrm2) STUB(cublasSger) STUB(cublasDger) STUB(cublasSsyrk) STUB(cublasDsyrk) STUB(cublasSsbmv) STUB(cublasDsbmv) STUB(cublasStpmv) STUB(cublasDtpmv) STUB(cublasSspr) STUB(cublasDspr) STUB(cublasDgemmBatched) STUB(cublasIdamax)
#undef STUB
const char *cublasGetStatusString(cublasStatus_t);
