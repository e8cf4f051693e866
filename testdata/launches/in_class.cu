// Launches stand in members of a class template: its instances are what the text names, an explicit instantiation among them.
// expect: holds
// small: -

template <int Threads> __global__ void turned(const float* in, float* out) {
  __shared__ float row[Threads];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = row[Threads - 1 - threadIdx.x];
}

namespace jobs {
template <int Warps> struct Sized { static constexpr int threads = 32 * Warps; };

template <class Real, int Warps> class Turning : Sized<Warps> {
  using Size = Sized<Warps>;
  static constexpr int threads = Size::threads;
  void start(const Real* in, Real* out) const;

 public:
  void run(const Real* in, Real* out) { start(in, out); }
  static void once(const Real* in, Real* out) { turned<Size::threads><<<1, threads>>>(in, out); }
};

template <class R, int W> void Turning<R, W>::start(const R* in, R* out) const {
  constexpr int wide = 32 * W;
  turned<wide><<<1, wide>>>(in, out);
}

template class Turning<float, 2>;

inline void all(const float* in, float* out) {
  Turning<float, 3> job;
  job.run(in, out);
  Turning<float, 5>::once(in, out);
}
}  // namespace jobs
