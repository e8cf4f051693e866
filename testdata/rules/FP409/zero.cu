// Barrier 0 of a group beside that of the whole CTA; of the whole CTA by name; another id; and in a function alone.
__global__ void __launch_bounds__(256) group(float* rows) {
  __shared__ float part[256];
  part[threadIdx.x] = rows[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 64) {
    part[threadIdx.x] += part[threadIdx.x + 64];
    asm volatile("barrier.sync 0, 64;" ::: "memory");  // want FP409 "barrier 0"
    rows[threadIdx.x] = part[63 - threadIdx.x];
  }
}

__global__ void by_name(float* rows) {
  __shared__ float part[256];
  part[threadIdx.x] = rows[threadIdx.x];
  __syncthreads();
  part[threadIdx.x] += 1.0f;
  asm volatile("bar.sync 0, 256;" ::: "memory");
  rows[threadIdx.x] = part[255 - threadIdx.x];
}

__global__ void another(float* rows) {
  __syncthreads();
  if (threadIdx.x < 64) {
    asm volatile("bar.sync 3, 64;" ::: "memory");
    rows[threadIdx.x] = 0.0f;
  }
}

__device__ void alone(float* rows) {
  asm volatile("bar.sync 0, 64;" ::: "memory");
  rows[threadIdx.x] = 0.0f;
}

void launch(float* rows) {
  group<<<1, 256>>>(rows);
  by_name<<<1, 256>>>(rows);
  another<<<1, 256>>>(rows);
}
