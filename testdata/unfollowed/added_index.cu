// As broken_added_index.cu, with the barrier behind the zeroes.
// expect: holds open=race,race-grid
// small: -
#define FOR_ALL(i, n) for (long i = threadIdx.x; i < (n); i += blockDim.x)
template <typename Key, typename Sum>
__global__ void __launch_bounds__(128) count(const Key* keys, const Sum* weights, Sum* out, long n) {
  __shared__ Sum bins[128];
  bins[threadIdx.x] = Sum(0);
  __syncthreads();
  FOR_ALL(i, n) {
    Key key = *(keys + i);
    atomicAdd(bins + key, weights[i]);
  }
  __syncthreads();
  atomicAdd(out + threadIdx.x, bins[threadIdx.x]);
}
