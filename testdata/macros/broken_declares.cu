// Two uses of a macro declare two arrays; the second one is read by other warps than write it.
// expect: violated race
// small: -

#define TILE(T, name, n) __shared__ T name[n];

__global__ void twice(const unsigned short* in, unsigned short* out) {
  TILE(unsigned short, first, 128)
  TILE(unsigned short, second, 128)
  int t = threadIdx.x;
  first[t] = in[t];
  __syncthreads();
  second[t] = first[127 - t];
  out[t] = second[127 - t] + first[(t + 1) % 128];  // want FP720
}

void launch(const unsigned short* in, unsigned short* out) { twice<<<1, 128>>>(in, out); }
