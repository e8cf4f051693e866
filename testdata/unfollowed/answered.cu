// All threads write what a call of which nothing is known answers, a yes or no: they may all write the same.
// expect: inconclusive
// small: -
__global__ void settled(const float* norms, bool* done, int n) { *done = is_settled(norms, n); }

void run(const float* norms, bool* done, int n) { settled<<<1, 128>>>(norms, done, n); }
