// What a macro that comes apart in its place writes is not followed: row * pitch is t + 0 * pitch.
// expect: inconclusive
// reason: by its tokens
// small: -
#define S(row, pitch, column) s[row * pitch + column]

__global__ void kernel(const int* a, int* b) {
  __shared__ int s[64];
  const int t = threadIdx.x, pitch = 32;
  S(t + 0, pitch, t % 32) = a[t];
  b[t] = s[63 - t];
}

void launch(const int* a, int* b) { kernel<<<1, 64>>>(a, b); }
