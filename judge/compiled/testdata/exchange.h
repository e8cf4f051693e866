__device__ void Exchange(float* tile);
