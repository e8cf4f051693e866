// An index that counts up is evaluated once, though its element is read and written: the same half is read without a barrier.
// expect: violated race
// small: -

__global__ void mirror(const float* a, float* b) {
  __shared__ float s[256];
  int i = 0;
  s[threadIdx.x] = a[threadIdx.x];
  s[128 + threadIdx.x] = 0.f;
  __syncthreads();
  s[128 * i++ + threadIdx.x] += 1.f;
  b[threadIdx.x] = s[128 * (i - 1) + 127 - threadIdx.x];  // want FP720
}

void launch(const float* a, float* b) { mirror<<<1, 128>>>(a, b); }
