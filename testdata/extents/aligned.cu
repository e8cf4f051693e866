// Objects are as large as their alignment says: three numbers take the room of four, and what comes behind 128 of them is none of theirs.
// expect: holds open=race-grid
// small: -
struct alignas(16) Point {
  float x, y, z;
};

template <typename T>
struct Entry {
  char kind;
  alignas(T) char value[sizeof(T)];
};

#define LIES_AT(bytes) __attribute__((aligned(bytes)))

struct LIES_AT(32) Tail {
  char kind;
  __align__(8) char value[4];
};

static_assert(alignof(Entry<double>) == 8, "an entry lies as its value does");

__global__ void __launch_bounds__(128) mirrored(const float* in, float* out) {
  extern __shared__ char room[];
  Point* points = reinterpret_cast<Point*>(room);
  float* weights = reinterpret_cast<float*>(room + 2048);
  float* offsets = reinterpret_cast<float*>(room + 128 * (sizeof(Point) + sizeof(Entry<double>) + sizeof(Tail)));
  const int at = blockIdx.x * 128 + threadIdx.x;
  points[threadIdx.x].x = in[at];
  points[threadIdx.x].z = in[threadIdx.x];
  weights[threadIdx.x] = in[at + 1];
  offsets[threadIdx.x] = in[at + 2];
  __syncthreads();
  out[at] = points[127 - threadIdx.x].z * points[threadIdx.x].x * weights[(threadIdx.x + 1) % 128] + offsets[(threadIdx.x + 2) % 128];
}

void run(const float* in, float* out, int n) { mirrored<<<n / 128, 128, 9216>>>(in, out); }
