// expect: violated race
// small: -
// Each thread keeps in bytes which list its rows go to, and takes a place in it. The last thread reserves room in all lists for the CTA; where that begins is read by whom the label leads to, with no barrier before that.
#define LISTS 6

__global__ void __launch_bounds__(192) file(const unsigned char *labels, unsigned *filled, unsigned *where, int rows)
{
    __shared__ unsigned firsts[LISTS];
    __shared__ unsigned taken[LISTS];
    if (threadIdx.x < LISTS)
        taken[threadIdx.x] = 0;
    __syncthreads();
    unsigned char label[2];
    unsigned place[2];
    const int row = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = 0; k < 2; ++k) {
        if (row + k < rows) {
            label[k] = labels[row + k];
            place[k] = atomicAdd(&taken[label[k]], 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) {
        for (int list = 0; list < LISTS; ++list)
            firsts[list] = atomicAdd(&filled[list], taken[list]);
    }
    for (int k = 0; k < 2; ++k) {
        if (row + k < rows)
            where[row + k] = firsts[label[k]] + place[k];
    }
}
