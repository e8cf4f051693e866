// Statements are all that a macro is given, and one that stands for nothing is given some; assignments stand ahead of commas in parentheses.
// expect: holds
// small: -

#ifdef CHECKED
#define where_checked(statements) statements;
#else
#define where_checked(statements) ;
#endif
#define in_all(statements) statements;

__global__ void turned(const float* in, float* out, int* count) {
  __shared__ float row[96];
  where_checked(if (threadIdx.x == 0) { atomicAdd(count, 1); });
  row[threadIdx.x] = in[threadIdx.x];
  in_all(for (int k = 0; k < 2; k++) { __syncthreads(); });
  float last = 0;
  int place;
  float x = threadIdx.x > 40 ? (place = 95, last = 1, 2.0f) : (place = 94, 3.0f);
  (place -= threadIdx.x, last += x);
  out[threadIdx.x] = (place < 0 ? 0 : row[place]) + last;
}

void run(const float* in, float* out, int* count) { turned<<<1, 96>>>(in, out, count); }
