// An array in a class of its own that converts to a pointer: where a pointer begins, where something is added to it, and where it asks itself for an element.
// expect: holds
// small: -
template <class Value, int N>
class Room {
 public:
  __device__ operator const Value*() const { return &(*this)[0]; }
  __device__ operator Value*() { return &(*this)[0]; }
  __device__ const Value& operator[](int i) const { return reinterpret_cast<const Value*>(bytes)[i]; }
  __device__ Value& operator[](int i) { return reinterpret_cast<Value*>(bytes)[i]; }

 private:
  unsigned char bytes[sizeof(Value) * N];
};

__global__ void backwards(const float* in, float* out) {
  __shared__ Room<float, 256> row;
  float* begin = row;
  begin[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = *(row + (255 - threadIdx.x));
}

void run(const float* in, float* out) { backwards<<<1, 256>>>(in, out); }
