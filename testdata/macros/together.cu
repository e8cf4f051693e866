// As broken_together.cu, with a barrier. Macros without parentheses of their own that stay together where they are used: products within sums and beside products, a quotient before a product.
// expect: holds
// small: -
#define ROW 32
#define PLANE ROW*2
#define SIZE (ROW)*(2)*2
#define AT(plane, row, column) plane*PLANE + row * ROW + column

__global__ void planes(const int* a, int* b) {
  __shared__ int s[2 * SIZE];
  const int t = threadIdx.x, at = AT(t / 64, t / 32 % 2, t % 32);
  s[at] = a[t];
  s[at + SIZE] = a[t + SIZE];
  __syncthreads();
  b[t] = s[127 - at];
  b[t + SIZE] = s[at + PLANE*2];
}

void launch(const int* a, int* b) { planes<<<1, 128>>>(a, b); }
