// A base calls a member function of the class that it is given, which changes what both hold: the half that is read is written by others in the next round.
// expect: violated race
// small: -
template <typename Whole>
struct Counted {
  int count = 0;
  __device__ void step() { static_cast<Whole*>(this)->take(); }
};

struct Pair : Counted<Pair> {
  int half = 1;
  __device__ void take() {
    half ^= 1;
    ++count;
  }
};

__global__ void halves(const float* in, float* out) {
  __shared__ float room[2][64];
  Pair pair;
  for (int k = 0; k < 4; ++k) {
    pair.step();
    room[pair.half][threadIdx.x] = in[k * 64 + threadIdx.x];  // want FP720
    __syncthreads();
    out[k * 64 + threadIdx.x] = room[pair.count % 2][63 - threadIdx.x];
  }
}

void run(const float* in, float* out) { halves<<<1, 64>>>(in, out); }
