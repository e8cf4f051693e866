// As handed_to_constructor.cu, and the constructor does not wait for what one thread writes.
// expect: violated race
// small: -
template <int threads, int width>
class Shares {
 public:
  struct Kept {
    int of_warps[threads / width];
    int first;
  };
  __device__ Shares(int* counter, Kept& kept) : own{kept} {
    if (threadIdx.x == 0) own.first = atomicAdd(counter, threads);  // want FP720
    if (threadIdx.x < threads / width) own.of_warps[threadIdx.x] = 0;
    mine = own.first + threadIdx.x;
  }
  __device__ int place() const { return mine; }

 private:
  Kept& own;
  int mine;
};

__global__ void share(int* counter, const float* in, float* out) {
  using shares = Shares<128, target::warp>;
  __shared__ typename shares::Kept kept;
  shares own(counter, kept);
  out[threadIdx.x] = in[own.place()];
}

void run(int* counter, const float* in, float* out) { share<<<1, 128>>>(counter, in, out); }
