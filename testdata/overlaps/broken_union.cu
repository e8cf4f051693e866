// Two arrays share one place: the second is written while others still read the first. What of a union overlaps is not
// followed, so nothing is said to hold.
// expect: violated race
// small: -
__global__ void convert(const float* in, int* out) {
  __shared__ union {
    float real[128];
    int whole[128];
  } place;
  const int t = threadIdx.x;
  place.real[t] = in[t];
  __syncthreads();
  const float x = place.real[127 - t];
  place.whole[t] = static_cast<int>(x);
  __syncthreads();
  out[t] = place.whole[127 - t];
}

void run(const float* in, int* out) { convert<<<1, 128>>>(in, out); }
