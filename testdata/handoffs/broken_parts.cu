// CTAs along y add up parts of a row, and the last of them adds these; the others of a CTA may not have written theirs when its ticket is drawn.
// expect: violated order
// small: -

struct Parts {
  float* of;
  int* drawn;
  int many;
};

__device__ bool last_of(const Parts& parts, int row) {
  __shared__ int ticket;
  if (threadIdx.x == 0) {
    __threadfence();
    ticket = atomicAdd(&parts.drawn[row], 1);
  }
  __syncthreads();
  return ticket == parts.many - 1;
}

__global__ void __launch_bounds__(64) rows(const float* in, float* out, int columns, Parts parts) {
  float sum = 0.0f;
  for (int k = blockIdx.y; k < columns; k += parts.many) sum += in[k * 64 + threadIdx.x];
  float* row = parts.of + blockIdx.x * parts.many * 64;
  row[blockIdx.y * 64 + threadIdx.x] = sum;
  if (!last_of(parts, blockIdx.x)) return;  // want FP305
  __threadfence();
  float all = 0.0f;
  for (int part = 0; part < parts.many; ++part) all += __ldcg(&row[part * 64 + 63 - threadIdx.x]);
  out[blockIdx.x * 64 + 63 - threadIdx.x] = all;
}

void run(const float* in, float* out, int columns, int many_rows, Parts parts) { rows<<<dim3(many_rows, parts.many), 64>>>(in, out, columns, parts); }
