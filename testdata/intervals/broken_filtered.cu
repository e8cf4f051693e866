// Which words of the CTA's part are met is what memory holds, less where the part begins: a word that is marked while others read its mark.
// expect: violated race
// small: -
__device__ float weight(int word);

__global__ void __launch_bounds__(128) penalize(const long long* words, int n, int size, float* out) {
  __shared__ float marks[512];
  int low = blockIdx.x * 512, high = min(low + 512, size);
  for (int i = threadIdx.x; i < 512; i += 128) marks[i] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 128) {
    int word = (int)words[i];
    if (word < low || word >= high) continue;
    marks[word - low] = weight(word); // want warning: FP720 "nothing orders them"
  }
  for (int i = threadIdx.x; i < 512; i += 128)
    if (low + i < size) out[low + i] = marks[i];
}
void run(const long long* words, int n, int size, float* out) { penalize<<<(size + 511) / 512, 128>>>(words, n, size, out); }
