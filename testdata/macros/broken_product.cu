// A product by a name in parentheses: (a * (b)) + c is no cast; the rows of the warps overlap.
// expect: violated race
// small: -
#define AT(row, pitch, column) s[(row * (pitch)) + column]

__global__ void rows(const int* a, int* b) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  const int warp = t / 32, lane = t % 32, pitch = 16;
  AT(warp, pitch, lane) = a[t];  // want FP720
  __syncwarp();
  b[t] = s[(warp * (pitch)) + (lane ^ 1)];
}

void launch(const int* a, int* b) { rows<<<1, 64>>>(a, b); }
