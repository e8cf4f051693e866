// As trailing.cu, without the barrier.
// expect: violated race
// small: -
#define nothrow_ noexcept
#define may_

template <typename T>
class Range {
 public:
  __device__ Range(T* first, int count) nothrow_ : first_(first), count_(count) {}
  __device__ T* data() const nothrow_ { return first_; }
  __device__ int size() const of_another_file { return count_; }
  __device__ T last() may_ { return first_[count_ - 1]; }  // want FP720

 private:
  T* first_;
  int count_;
};

__global__ void turned(const float* in, float* out) {
  __shared__ float s[128];
  Range<float> all(s, 128);
  all.data()[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = all.data()[all.size() - 1 - threadIdx.x] + all.last();  // want FP720
}

void launch(const float* in, float* out) { turned<<<1, 128>>>(in, out); }
