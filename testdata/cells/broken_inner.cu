// What data guard is one thread's business, and another thread reads it.
// expect: violated race
// small: -

__global__ void cells(const int* a, int* b) {
  int t = threadIdx.x;
  __shared__ int s[128];
  if (t == 5) s[0] = 4;
  if (a[t] > 0) {
    if (t == 77) s[0] = 1;
  }
  if (t == 5) b[0] = s[0];
}

void launch(const int* a, int* b) { cells<<<1, 128>>>(a, b); }
