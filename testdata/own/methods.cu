// Methods of an element that the kernel's input chooses say where its members are by this, and by their names.
// expect: holds
// small: n=1

struct Mark {
  float weight;
  int place;
  __device__ void put(float w, int p) {
    weight = w;
    this->place = p;
  }
  __device__ float heavier(float by) const { return this->weight * by; }
};

__global__ void marked(const float* in, float* out, int n) {
  __shared__ float row[64];
  Mark marks[3];
  for (int k = 0; k < 3; k++) marks[k].put(in[k], k);
  row[threadIdx.x] = marks[n % 3].heavier(in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = row[63 - threadIdx.x];
}

void run(const float* in, float* out, int n) { marked<<<1, 64>>>(in, out, n); }
