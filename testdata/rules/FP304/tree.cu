// Nodes are summed from the leaves up; a negative weight means that a node is not ready. The second loop has a barrier of
// the CTA where the first one has a fence.
__global__ void sum_up(const int* child, volatile float* weight, float* position, int first, int nodes) {
  const int step = blockDim.x * gridDim.x;
  for (int k = first + blockIdx.x * blockDim.x + threadIdx.x; k <= nodes; k += step) {
    if (weight[k] < 0.0f && weight[child[k]] >= 0.0f) {
      position[k] = position[child[k]];
      __threadfence();
      weight[k] = weight[child[k]];
    }
  }
  int k = first + blockIdx.x * blockDim.x + threadIdx.x;
  bool ready = false;
  float sum = 0.0f;
  while (k <= nodes) {
    if (weight[child[k]] >= 0.0f) {
      sum = weight[child[k]];
      position[k] = position[child[k]];
      ready = true;
    }
    __syncthreads();  // want FP403 "in a loop that some threads"
    if (ready) {
      weight[k] = sum;  // want FP304 "expected release"
      k += step;
      ready = false;
    }
  }
}

__global__ void sum_up_right(const int* child, volatile float* weight, float* position, int first, int nodes) {
  const int step = blockDim.x * gridDim.x;
  for (int k = first + blockIdx.x * blockDim.x + threadIdx.x; k <= nodes; k += step) {
    if (weight[k] < 0.0f && weight[child[k]] >= 0.0f) {
      position[k] = position[child[k]];
      __threadfence();
      weight[k] = weight[child[k]];
    }
  }
  int k = first + blockIdx.x * blockDim.x + threadIdx.x;
  bool ready = false;
  float sum = 0.0f;
  while (k <= nodes) {
    if (weight[child[k]] >= 0.0f) {
      sum = weight[child[k]];
      position[k] = position[child[k]];
      ready = true;
    }
    __threadfence();
    if (ready) {
      weight[k] = sum;
      k += step;
      ready = false;
    }
  }
}

// What is written behind the fence is something else.
__global__ void apart(volatile float* weight, float* position, float* log, int k) {
  position[k] = 1.0f;
  __threadfence();
  weight[k] = 1.0f;
  log[k] = 2.0f;
  weight[k + 1] = 2.0f;
}
