// As in of_base.cu, without the barrier.
// expect: violated race
// small: -

struct Row {
  float* at;
  __device__ void put(int k, float v) { at[k] = v; }
  __device__ float get(int k) const { return at[k]; }  // want FP720
};

template <class T> struct Held {
  Row row;
  T* other;
};

template <class T> struct Turning : Held<T> {
  using Up = Held<T>;
  __device__ void run(const T* in, T* out, int k) {
    Held<T>::row.put(k, in[k]);
    Up::other[k] = in[k + 96];
    
    out[k] = Held<T>::row.get(95 - k);
    out[k + 96] = Turning::other[k];
  }
};

__global__ void turned(const float* in, float* out) {
  __shared__ float a[96], b[96];
  Turning<float> t;
  t.row.at = a;
  t.other = b;
  t.run(in, out, threadIdx.x);
}

void run(const float* in, float* out) { turned<<<1, 96>>>(in, out); }
