// The parameters of a macro stand behind ? and : without parentheses: it is the less of two numbers.
// expect: holds
// small: -

#define LESS(x, y) ((x < y) ? x : y)
#define MORE(x, y) (x > y ? x : y)

const int wanted = 512;
const int threads = LESS(wanted, 128);

__global__ void turn(const float* in, float* out, int n) {
  __shared__ float row[MORE(threads, 64)];
  int i = LESS(threadIdx.x, 127u);
  row[i] = in[i];
  __syncthreads();
  out[i] = row[threads - 1 - i];
}

void launch(const float* in, float* out, int n) { turn<<<1, threads>>>(in, out, n); }
