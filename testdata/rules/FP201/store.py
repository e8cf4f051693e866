@cute.kernel
def no_fence(tma_atom_d, registers, out):
    smem = cutlass.utils.SmemAllocator()
    sD = smem.allocate_tensor(cutlass.Float32, layout)
    sPart, gPart = cute.nvgpu.cpasync.tma_partition(tma_atom_d, 0, layout, sD, out)
    cute.autovec_copy(registers, sD)
    cute.arch.sync_threads()
    with cute.arch.elect_one():
        cute.copy(tma_atom_d, sPart, gPart)  # want FP201 "bulk store reads .sD. right after ordinary writes"


@cute.kernel
def fenced(tma_atom_d, registers, out):
    smem = cutlass.utils.SmemAllocator()
    sD = smem.allocate_tensor(cutlass.Float32, layout)
    cute.autovec_copy(registers, sD)
    cute.arch.fence_view_async_shared()
    cute.arch.sync_threads()
    with cute.arch.elect_one():
        cute.copy(tma_atom_d, sD, out)


@cute.kernel
def fenced_by_the_issuer(tma_atom_d, registers, out):
    smem = cutlass.utils.SmemAllocator()
    sD = smem.allocate_tensor(cutlass.Float32, layout)
    cute.autovec_copy(registers, sD)
    cute.arch.sync_threads()
    with cute.arch.elect_one():
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.copy(tma_atom_d, sD, out)


@cute.kernel
def filled_by_tma(tma_atom_s, tma_atom_d, src, out, full):
    smem = cutlass.utils.SmemAllocator()
    sD = smem.allocate_tensor(cutlass.Float32, layout)
    with cute.arch.elect_one():
        cute.copy(tma_atom_s, src, sD, tma_bar_ptr=full)
        cute.copy(tma_atom_d, sD, out)
