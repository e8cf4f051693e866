#pragma once
#include <cuda_runtime.h>
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
