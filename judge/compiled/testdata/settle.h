// Functions of another file that nobody reads.
#include <cstdint>
__device__ void Settle(uint64_t* gate, uint32_t parity);
__device__ void __settle(uint64_t* gate, uint32_t parity);
namespace cutlass::arch {
__device__ void settle(uint64_t* gate, uint32_t parity);
}
struct Gates {
  uint64_t* gate;
  __device__ void settle(uint32_t parity);
};
struct Settled {
  __device__ explicit Settled(uint64_t* gate);
};
