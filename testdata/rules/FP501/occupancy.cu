__device__ int look(const int* flag) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__global__ void meet(int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (look(arrived) < gridDim.x) {
    }
  }
  __syncthreads();
}

void launch(int* arrived) {
  int per_sm = 0, sms = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, meet, 128, 0);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  meet<<<per_sm * sms, 128>>>(arrived);
}
