// What a class means by ==, bool, ++ and + runs: two more are the same turn.
// expect: violated race
// small: -
struct Turn {
  int count;
  __device__ bool operator==(const Turn& o) const { return count % 2 == o.count; }
  __device__ explicit operator bool() const { return count % 2; }
  __device__ Turn operator++(int) {
    Turn old = *this;
    count += 1;
    return old;
  }
};

__device__ Turn operator+(Turn x, int k) { return Turn{x.count + k}; }


__global__ void mirror(const float* a, float* b, int n) {
  __shared__ float s[2][128];
  const int t = threadIdx.x;
  Turn now{0};
  for (int i = 0; i < n; ++i) {
    s[now ? 1 : 0][t] = a[i * 128 + t];  // want FP720
    __syncthreads();
    b[i * 128 + t] = s[now ? 1 : 0][127 - t];
    if (now == Turn{i - i + now.count % 2}) now = now + 2;
  }
}

void launch(const float* a, float* b, int n) { mirror<<<1, 128>>>(a, b, n); }
