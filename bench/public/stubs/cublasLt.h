// Enough of cuBLASLt that host code which calls it compiles.
#pragma once
#include "cublas_v2.h"
typedef struct cublasLtContext *cublasLtHandle_t;
struct cublasLtOpaque {};
typedef cublasLtOpaque *cublasLtMatmulDesc_t, *cublasLtMatrixLayout_t, *cublasLtMatmulPreference_t, *cublasLtMatrixTransformDesc_t;
typedef cublasLtOpaque cublasLtMatmulDescOpaque_t, cublasLtMatrixLayoutOpaque_t, cublasLtMatmulPreferenceOpaque_t;
struct cublasLtMatmulAlgo_t { unsigned long long data[8]; };
struct cublasLtMatmulHeuristicResult_t { cublasLtMatmulAlgo_t algo; size_t workspaceSize; cublasStatus_t state; float wavesCount; int reserved[4]; };
enum cublasLtMatmulTile_t { CUBLASLT_MATMUL_TILE_UNDEFINED };
enum cublasLtOrder_t { CUBLASLT_ORDER_COL, CUBLASLT_ORDER_ROW, CUBLASLT_ORDER_COL32, CUBLASLT_ORDER_COL4_4R2_8C, CUBLASLT_ORDER_COL32_2R_4R4 };
enum cublasLtEpilogue_t { CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_DGELU, CUBLASLT_EPILOGUE_BGRADB, CUBLASLT_EPILOGUE_DGELU_BGRAD, CUBLASLT_EPILOGUE_DRELU_BGRAD, CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_RELU_AUX, CUBLASLT_EPILOGUE_RELU_AUX_BIAS };
enum { CUBLASLT_MATMUL_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSB, CUBLASLT_MATMUL_DESC_TRANSC, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, CUBLASLT_MATMUL_DESC_BIAS_POINTER, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, CUBLASLT_MATMUL_DESC_SCALE_TYPE, CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_MATRIX_LAYOUT_TYPE, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, CUBLASLT_POINTER_MODE_DEVICE_VECTOR, CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO, CUBLASLT_POINTER_MODE_HOST, CUBLASLT_ALGO_CONFIG_TILE_ID };
#define STUB(name) template <class... A> cublasStatus_t name(A &&...);
STUB(cublasLtCreate) STUB(cublasLtDestroy) STUB(cublasLtMatmul) STUB(cublasLtMatmulDescCreate) STUB(cublasLtMatmulDescInit) STUB(cublasLtMatmulDescDestroy) STUB(cublasLtMatmulDescSetAttribute) STUB(cublasLtMatrixLayoutCreate) STUB(cublasLtMatrixLayoutInit) STUB(cublasLtMatrixLayoutDestroy) STUB(cublasLtMatrixLayoutSetAttribute) STUB(cublasLtMatmulPreferenceCreate) STUB(cublasLtMatmulPreferenceInit) STUB(cublasLtMatmulPreferenceDestroy) STUB(cublasLtMatmulPreferenceSetAttribute) STUB(cublasLtMatmulAlgoGetHeuristic) STUB(cublasLtMatrixTransform) STUB(cublasLtMatrixTransformDescCreate) STUB(cublasLtMatrixTransformDescDestroy) STUB(cublasLtMatrixTransformDescSetAttribute)
#undef STUB
