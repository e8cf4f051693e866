// How large an element is, is not known, as its base stands in a file that is not there: the parts of two warps are not taken to overlap.
// expect: inconclusive
// small: -
#include "elsewhere.h"

template <int Items>
class Exchange {
 public:
  struct Storage : Words<int, Items * 32> {};
  __device__ explicit Exchange(Storage& storage) : storage_(storage), lane_(threadIdx.x % 32) {}
  __device__ void transpose(int (&item)[Items]) {
    int* word = reinterpret_cast<int*>(&storage_);
    for (int i = 0; i < Items; i++) word[lane_ * Items + i] = item[i];
    __syncwarp();
    for (int i = 0; i < Items; i++) item[i] = word[i * 32 + lane_];
  }

 private:
  Storage& storage_;
  int lane_;
};

__global__ void stripe(int* data) {
  __shared__ Exchange<4>::Storage storage[4];
  int item[4];
  for (int i = 0; i < 4; i++) item[i] = data[threadIdx.x * 4 + i];
  Exchange<4>(storage[threadIdx.x / 32]).transpose(item);
  for (int i = 0; i < 4; i++) data[threadIdx.x * 4 + i] = item[i];
}

void launch(int* data) { stripe<<<1, 128>>>(data); }
