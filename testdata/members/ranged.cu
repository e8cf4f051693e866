// Loops over objects that say where they begin and end: each thread has its own steps, which it makes itself.
// expect: holds
// small: -
class Steps {
 public:
  class Step {
   public:
    __device__ explicit Step(long long at) : at_(at) {}
    __device__ long long operator*() const { return at_; }
    __device__ const Step& operator++() {
      at_ += by_;
      return *this;
    }
    __device__ bool operator!=(const Step& end) const { return at_ < end.at_; }
    __device__ void by(long long n) { by_ = n; }

   private:
    long long at_;
    long long by_ = 1;
  };
  __device__ Steps(long long from, long long to) : from_(from), to_(to) {}
  __device__ Step begin() const { return from_; }
  __device__ Step end() const { return to_; }
  __device__ void by(long long n) { from_.by(n); }

 private:
  Step from_, to_;
};

__device__ Steps of_block(long long from, long long to) {
  Steps s(from + threadIdx.x, to);
  s.by(blockDim.x);
  return s;
}

__device__ void fill(int* at, int n, int what) {
  for (auto i : of_block(0, n)) at[i] = what;
}

__global__ void __launch_bounds__(128) counted(const int* in, int* out) {
  __shared__ int bins[256];
  fill(bins, 256, 0);
  __syncthreads();
  atomicAdd(&bins[(threadIdx.x * 7) & 255], in[threadIdx.x]);
  __syncthreads();
  for (auto i : of_block(0, 256)) out[i] = bins[i];
}

void run(const int* in, int* out) { counted<<<1, 128>>>(in, out); }
