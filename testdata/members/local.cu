// Two functions have a union of one name each, and the shorter name of the two functions is the other one's.
// expect: holds open=race
// small: -

template <typename T, int N>
__global__ void mirrored(const T* in, T* out, const int* valid) {
  union Room {
    T row[N];
    float parts[N];
  };
  __shared__ Room room;
  __shared__ int last;
  if (threadIdx.x == 0) last = valid[0];
  __syncthreads();
  if (threadIdx.x < last) room.row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = room.row[N - 1 - threadIdx.x];
}

template <typename T, int N>
__device__ T one(T x) {
  union Room {
    T row[N / 64];
  };
  Room room;
  room.row[0] = x;
  return room.row[0];
}

void run(const float* in, float* out, const int* valid) {
  mirrored<float, 128><<<1, 128>>>(in, out, valid);
}
