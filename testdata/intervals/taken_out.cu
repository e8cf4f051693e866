// expect: inconclusive
// small: -
// The largest number of a row is taken out of it, in as many rounds as the caller asks for: who takes it out does so before all look for the next one.
__global__ void __launch_bounds__(96) largest(int *row, int *taken, int n, int rounds)
{
    __shared__ int at[96];
    for (int round = 0; round < rounds; ++round) {
        int best = 0;
        for (int k = threadIdx.x; k < n; k += 96) {
            if (row[k] > row[best])
                best = k;
        }
        at[threadIdx.x] = best;
        __syncthreads();
        for (int half = 48; half >= 3; half /= 2) {
            if (threadIdx.x < half && row[at[threadIdx.x + half]] > row[at[threadIdx.x]])
                at[threadIdx.x] = at[threadIdx.x + half];
            __syncthreads();
        }
        int first = at[0];
        for (int k = 1; k < 3; ++k)
            first = row[at[k]] > row[first] ? at[k] : first;
        __syncthreads();
        if (threadIdx.x == 0) {
            taken[round] = row[first];
            row[first] = -1;
        }
        __syncthreads();
    }
}

void run(int *row, int *taken, int n, int rounds) { largest<<<1, 96>>>(row, taken, n, rounds); }
