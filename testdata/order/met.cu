// One thread waits for the grid before, and the others for that thread, in one of two instances of a template.
// expect: holds open=race-grid
// small: -

template <bool Behind>
__global__ void __launch_bounds__(128) halved(const float* in, float* out) {
  if constexpr (Behind) {
    if (threadIdx.x == 0) asm volatile("griddepcontrol.wait;" ::: "memory");
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x] / 2;
}

void run(cudaLaunchConfig_t* config, const float* in, float* between, float* out) {
  halved<false><<<16, 128>>>(in, between);
  cudaLaunchKernelEx(config, halved<true>, (const float*)between, out);
}
