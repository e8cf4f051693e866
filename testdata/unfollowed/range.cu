// A loop over a range of which nothing is known goes round as often as it may; what stands behind it is followed.
// expect: inconclusive
// small: -
template <class Range>
__global__ void gathered(float* out, Range range) {
  __shared__ float row[128];
  float sum = 0.0f;
  for (auto const& x : range) {
    if (x < 0.0f) throw x;
    sum += x;
  }
  row[threadIdx.x] = sum + threadIdx.x;
    __syncthreads();
  out[threadIdx.x] = row[127 - threadIdx.x];
}
template <class Range>
void run(float* out, Range range) { gathered<<<1, 128>>>(out, range); }
