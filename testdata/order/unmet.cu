// One thread waits for the grid before, and the others do not, in one of two instances of a template.
// expect: holds open=order,race-grid
// small: -

template <bool Behind>
__global__ void __launch_bounds__(128) alone(const float* in, float* out) {
  if constexpr (Behind) {
    if (threadIdx.x == 0) asm volatile("griddepcontrol.wait;" ::: "memory");
  }
  out[blockIdx.x * 128 + threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x] / 2;
}

void run(cudaLaunchConfig_t* config, const float* in, float* between, float* out) {
  alone<false><<<16, 128>>>(in, between);
  cudaLaunchKernelEx(config, alone<true>, (const float*)between, out);
}
