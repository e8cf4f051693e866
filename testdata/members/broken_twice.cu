// Two collectives that are added to an object use one room, and no barrier lies between what reads it and what writes it again.
// expect: violated race
// small: -

struct Sum {
  float of, most;
  __device__ Sum& operator+=(const Sum& o) {
    of += o.of;
    most = most > o.most ? most : o.most;
    return *this;
  }
};

__device__ Sum ofBlock(float x) {
  __shared__ float room[256];
  room[threadIdx.x] = x;
  __syncthreads();
  Sum out;
  out.of = x;
  out.most = room[(threadIdx.x + 1) % 256]; // want FP720
  return out;
}

__global__ void twice(const float* in, float* out) {
  Sum all;
  all.of = 0;
  all.most = 0;
  all += ofBlock(in[threadIdx.x]);
  all += ofBlock(all.most);
  out[threadIdx.x] = all.of + all.most;
}

void run(const float* in, float* out) {
  twice<<<1, 256>>>(in, out);
}
