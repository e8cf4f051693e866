struct Storage {
  float out[1024];
};

// A CuTe copy that joins a bulk group reads by the async proxy; convert() of another file fills its source.
__global__ void stored_by_atom(StoreAtom const atom, float* dst) {
  extern __shared__ char bytes[];
  Storage& storage = *reinterpret_cast<Storage*>(bytes);
  convert(dst, reinterpret_cast<float*>(storage.out), threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) {
    Tensor s = make_tensor(make_smem_ptr(reinterpret_cast<float*>(storage.out)), Layout{});
    auto part = atom.get_slice(0);
    cute::copy(atom, part.partition_S(s), part.partition_D(dst));  // want FP201 "storage.out"
    cute::tma_store_arrive();
  }
}

__global__ void fenced_atom(StoreAtom const atom, float* dst) {
  extern __shared__ char bytes[];
  Storage& storage = *reinterpret_cast<Storage*>(bytes);
  convert(dst, reinterpret_cast<float*>(storage.out), threadIdx.x);
  cutlass::arch::fence_view_async_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    Tensor s = make_tensor(make_smem_ptr(reinterpret_cast<float*>(storage.out)), Layout{});
    auto part = atom.get_slice(0);
    cute::copy(atom, part.partition_S(s), part.partition_D(dst));
    cute::tma_store_arrive();
  }
}
