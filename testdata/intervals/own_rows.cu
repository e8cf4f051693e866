// Each thread counts in a row of its own, wherever data lead there.
// expect: holds open=race
// small: -
__global__ void __launch_bounds__(256) tally(float* rows, const int* keys, int n) {
  float* row = rows + threadIdx.x * 16;
  for (int j = 0; j < 16; j++) row[j] = 0.f;
  for (int j = 0; j < n; j++) row[keys[j] & 15] += 1.f;
}

void run(float* rows, const int* keys, int n) { tally<<<1, 256>>>(rows, keys, n); }
