// What is added to a pointer is an integer, whatever its type is called, also in the body of a loop that a macro makes.
// expect: violated race
// small: -
#define FOR_ALL(i, n) for (long i = threadIdx.x; i < (n); i += blockDim.x)
template <typename Key, typename Sum>
__global__ void __launch_bounds__(128) count(const Key* keys, const Sum* weights, Sum* out, long n) {
  __shared__ Sum bins[128];
  bins[threadIdx.x] = Sum(0);
  FOR_ALL(i, n) {
    Key key = *(keys + i);
    atomicAdd(bins + key, weights[i]);  // want FP720
  }
  __syncthreads();
  atomicAdd(out + threadIdx.x, bins[threadIdx.x]);
}
