// Each key goes behind those of smaller digits, and of its own digit behind those that warps before its own have: sixteen threads find where digits begin.
// expect: inconclusive
// small: -
__global__ void __launch_bounds__(128) by_digit(const unsigned* in, unsigned* out, const int* base, int n) {
  __shared__ int counts[4][16];
  __shared__ int starts[16];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane < 16) counts[warp][lane] = 0;
  __syncwarp();
  const int at = blockIdx.x * 128 + threadIdx.x;
  const unsigned key = at < n ? in[at] : 0xffffffff;
  const int digit = key % 16;
  const unsigned alike = __match_any_sync(0xffffffff, digit);
  const int rank = __popc(alike & ((1u << lane) - 1));
  if (rank == 0) counts[warp][digit] = __popc(alike);
  __syncthreads();
  if (threadIdx.x < 16) {
    int sum = 0;
    for (int w = 0; w < 4; w++) {
      const int one = counts[w][threadIdx.x];
      counts[w][threadIdx.x] = sum;
      sum += one;
    }
    starts[threadIdx.x] = base[blockIdx.x * 16 + threadIdx.x];
  }
  __syncthreads();
  if (at < n) out[starts[digit] + counts[warp][digit] + rank] = key;
}

void run(const unsigned* in, unsigned* out, const int* base, int n) { by_digit<<<(n + 127) / 128, 128>>>(in, out, base, n); }
