// expect: inconclusive
// small: -
// Each point goes to the centre that is nearest to it; what is summed of all centres is handed on by each thread when it has added its own.
__global__ void __launch_bounds__(160) gather(const float *points, const float *centres, float *sums, int *sizes, int n, int centresCount)
{
    extern __shared__ float pool[];
    float *own = pool;
    float *sum = own + centresCount;
    int *size = reinterpret_cast<int *>(sum + centresCount);
    for (int c = threadIdx.x; c < centresCount; c += blockDim.x) {
        own[c] = centres[c];
        sum[c] = 0.0f;
        size[c] = 0;
    }
    __syncthreads();
    for (int p = threadIdx.x; p < n; p += blockDim.x) {
        const float point = points[p];
        float least = fabsf(point - own[0]);
        int nearest = 0;
        for (int c = 1; c < centresCount; ++c) {
            const float far = fabsf(point - own[c]);
            if (far < least) {
                least = far;
                nearest = c;
            }
        }
        atomicAdd(sum + nearest, point);
        atomicAdd(size + nearest, 1);
    }
    __syncwarp();
    for (int c = threadIdx.x; c < centresCount; c += blockDim.x) {
        sums[c] = sum[c];
        sizes[c] = size[c];
    }
}

void run(const float *points, const float *centres, float *sums, int *sizes, int n, int k) { gather<<<1, 160, 3 * k * sizeof(float)>>>(points, centres, sums, sizes, n, k); }
