// What the host chooses is handed shared memory, too: it may meet the others by that.
// expect: inconclusive
// small: -
template <typename By>
__global__ void __launch_bounds__(128) turn(By by, const float* in, float* out) {
  __shared__ float row[128], room[32];
  float own[2];
  row[threadIdx.x] = in[threadIdx.x];
  by.combine(own, room);
  out[threadIdx.x] = row[127 - threadIdx.x] + own[0];
}
