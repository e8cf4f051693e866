// What its template is given is not said where the kernel is launched: the arguments say it, of the function that launches it too.
// expect: holds
// small: -
template <typename Step>
struct Twice {
  Step step;
  __device__ float operator()(float* tile, int at) const { return step(tile, at) + tile[at]; }
};

struct Meeting {
  __device__ float operator()(float* tile, int at) const {
    __syncthreads();
    return tile[63 - at];
  }
};

template <typename T, typename Step>
__global__ void mirror(const T* in, T* out, Twice<Step> twice) {
  __shared__ T tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = twice(tile, threadIdx.x);
}

template <typename T, typename Step>
void launch(const T* in, T* out, Step step) {
  Twice<Step> twice{step};
  mirror<<<1, 64>>>(in, out, twice);
}

void run(const float* in, float* out) { launch(in, out, Meeting()); }
