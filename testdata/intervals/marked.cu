// Walkers go on until all of them have met a mark; scores are read behind one barrier and written anew behind another.
// expect: inconclusive
// small: -
struct Graph;
__device__ int steps_of(const Graph* g);

__global__ void __launch_bounds__(128) walk(const Graph* g, const float* marks, float* out, float end) {
  __shared__ float score[128];
  const int steps = steps_of(g);
  float sum = 0;
  for (int step = 0; step < steps; step++) {
    if (marks[step] == end) break;
    score[threadIdx.x] = marks[step + threadIdx.x];
    __syncthreads();
    sum += score[127 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

void run(const Graph* g, const float* marks, float* out, float end) { walk<<<8, 128>>>(g, marks, out, end); }
