// A vote in PTX that a predicate guards: lanes that fail it are named and do not come.

__global__ void positive(const int* values, unsigned* out) {
  const int v = values[blockIdx.x * blockDim.x + threadIdx.x];
  unsigned lanes = 0;
  asm volatile("{ .reg .pred up; setp.gt.s32 up, %1, 0; @up vote.sync.ballot.b32 %0, up, 0xffffffff; }" : "+r"(lanes) : "r"(v));  // want FP412 "names all lanes"
  out[blockIdx.x * blockDim.x + threadIdx.x] = lanes;
}

__global__ void all_vote(const int* values, unsigned* out) {
  const int v = values[blockIdx.x * blockDim.x + threadIdx.x];
  unsigned lanes = 0;
  asm volatile("{ .reg .pred up; setp.gt.s32 up, %1, 0; vote.sync.ballot.b32 %0, up, 0xffffffff; }" : "+r"(lanes) : "r"(v));
  out[blockIdx.x * blockDim.x + threadIdx.x] = lanes;
}

void run(const int* values, unsigned* out) {
  positive<<<4, 128>>>(values, out);
  all_vote<<<4, 128>>>(values, out);
}
