// What is assigned to an object whose class has the operator is evaluated once: two collectives, with a barrier between them.
// expect: holds
// small: -

struct Sum {
  float of, most;
  __device__ Sum& operator+=(const Sum& o) {
    of += o.of;
    most = most > o.most ? most : o.most;
    return *this;
  }
  __device__ Sum& operator=(const Sum& o) {
    of = o.of;
    most = o.most;
    return *this;
  }
};

__device__ Sum ofBlock(float x) {
  __shared__ float room[256];
  room[threadIdx.x] = x;
  __syncthreads();
  Sum out;
  out.of = x;
  out.most = room[(threadIdx.x + 1) % 256];
  return out;
}

__global__ void once(const float* in, float* out) {
  Sum all;
  all = ofBlock(in[threadIdx.x]);
  __syncthreads();
  all += ofBlock(all.most);
  out[threadIdx.x] = all.of + all.most;
}

void run(const float* in, float* out) {
  once<<<1, 256>>>(in, out);
}
