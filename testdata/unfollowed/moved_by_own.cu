// What the host chooses is handed an object of the thread's own that leads to shared memory: it may meet the others by that.
// expect: inconclusive
// small: -
struct Room {
  float* words;
  int count;
};
template <typename By>
__global__ void __launch_bounds__(128) turn(By by, const float* in, float* out) {
  __shared__ float row[128], words[32];
  float own[2];
  Room room;
  room.words = words;
  room.count = 32;
  row[threadIdx.x] = in[threadIdx.x];
  by.combine(own, room);
  out[threadIdx.x] = row[127 - threadIdx.x] + own[0];
}
