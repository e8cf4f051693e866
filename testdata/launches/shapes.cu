// Blocks are constant objects of namespaces and of classes.
// expect: holds
// small: -

template <int Id> __global__ void turned(const float* in, float* out) {
  __shared__ float row[96];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = row[95 - threadIdx.x];
}

constexpr dim3 three_warps(96, 1, 1);
namespace shapes { static const dim3 wide{96}; }
struct Plan { static constexpr dim3 block{96, 1, 1}; static void run(const float* in, float* out) { turned<2><<<1, block>>>(in, out); } };
template <int Warps> struct Scaled { static constexpr dim3 block{32 * Warps, 1, 1}; };

void run(const float* in, float* out) {
  turned<0><<<1, three_warps>>>(in, out);
  turned<1><<<1, shapes::wide>>>(in, out);
  turned<3><<<1, Plan::block>>>(in, out);
  turned<4><<<1, Scaled<3>::block>>>(in, out);
}
