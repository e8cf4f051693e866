// The temporary storage of two collectives is one, in a union that has the name of a class of the model: all threads meet between the two.
// expect: holds open=race
// small: -
#include <cub/cub.cuh>

template <int THREADS>
struct Traits {
  using Reduce = cub::BlockReduce<float, THREADS>;
  using Scan = cub::BlockScan<int, THREADS>;
  union Storage {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  };
};

template <int THREADS>
__global__ void keep(const float* in, float* out, float* most, float least) {
  using Here = Traits<THREADS>;
  __shared__ typename Here::Storage storage;
  const float x = in[threadIdx.x];
  const float sum = typename Here::Reduce(storage.reduce).Sum(x);
  if (threadIdx.x == 0) *most = sum;
  __syncthreads();
  int at, kept;
  typename Here::Scan(storage.scan).ExclusiveSum(x > least, at, kept);
  if (x > least) out[at] = x;
}

void launch(const float* in, float* out, float* most, float least) { keep<128><<<1, 128>>>(in, out, most, least); }
