// expect: holds open=race,race-grid
// small: -
// Whoever finds something counts it, all in one place, by an atomic operation.
__global__ void __launch_bounds__(224) found(const short *samples, int limit, int *count, int n)
{
    __shared__ int seen;
    __shared__ int high[7];
    if (threadIdx.x < 7)
        high[threadIdx.x] = 0;
    if (threadIdx.x == 7)
        seen = 0;
    __syncthreads();
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n && samples[k] != 0) {
        atomicAdd(&seen, 1);
        if (samples[k] > limit)
            atomicAdd(&high[threadIdx.x >> 5], 1);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        count[2 * blockIdx.x] = seen;
    if (threadIdx.x == 32) {
        int all = 0;
        for (int w = 0; w < 7; ++w)
            all += high[w];
        count[2 * blockIdx.x + 1] = all;
    }
}

void run(const short *samples, int limit, int *count, int n) { found<<<(n + 223) / 224, 224>>>(samples, limit, count, n); }
