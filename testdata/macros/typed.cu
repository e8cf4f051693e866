// The argument of a macro is the type that a template is given.
// expect: holds
// small: -

template <typename T>
struct Mirror {
  static __device__ void run(const T* in, T* out) {
    extern __shared__ T row[];
    row[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = row[127 - threadIdx.x];
  }
};

template <typename Op, typename T>
__global__ void apply(const T* in, T* out) { Op::run(in, out); }

template <typename T>
void start(const T* in, T* out) { apply<Mirror<T>><<<1, 128, 128 * sizeof(T)>>>(in, out); }

#define START(T) start<T>((const T*)in, (T*)out)

void launch(const void* in, void* out) { START(float); }
