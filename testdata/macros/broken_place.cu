// A macro names the place that is written: by itself, as an address, and as a row; no barrier is behind any of them.
// expect: violated race
// small: -
#define S(i) s[i]
#define LAST(i) S(63 - (i))
#define ROW(k) (rows[k])

__global__ void kernel(const int* a, int* b) {
  __shared__ int s[64], rows[2][64];
  const int t = threadIdx.x;
  LAST(t) = a[t];
  ROW(1)[t] = a[t];
  b[t] = s[t] + rows[1][63 - t];  // want FP720
  atomicAdd(&S(t), 1);  // want FP720
  ROW(0)[t] = 1;
  b[t] += s[63 - t] + rows[0][63 - t];  // want FP720
}

void launch(const int* a, int* b) { kernel<<<1, 64>>>(a, b); }
