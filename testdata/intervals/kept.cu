// Data and which thread asks decide together what is written: only to what that thread reads.
// expect: inconclusive
// small: -
__device__ float weight(int word);

__global__ void __launch_bounds__(128) keep(const int* words, int n, float* out) {
  __shared__ float marks[128];
  marks[threadIdx.x] = 0;
  for (int i = 0; i < n; i++) {
    int word = words[i + threadIdx.x] & 127;
    if (word == threadIdx.x) marks[word] = weight(word);
  }
  out[blockIdx.x * 128 + threadIdx.x] = marks[threadIdx.x];
}
void run(const int* words, int n, float* out) { keep<<<8, 128>>>(words, n, out); }
