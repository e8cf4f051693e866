# The base and the index of an element are evaluated once, also where it is read and written: three arrivals a thread.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute


@cute.jit
def counted(box: cutlass.Array, full: cute.Pointer):
    cute.arch.mbarrier_arrive(full)
    return box


@cute.jit
def place(tid: cutlass.Int32, full: cute.Pointer):
    cute.arch.mbarrier_arrive(full)
    return tid


@cute.kernel
def fill(a: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    box = cutlass.Array(cutlass.Float32, 64, space=cutlass.AddressSpace.smem)
    full = cutlass.utils.SmemAllocator().allocate_array(cutlass.Int64, 1)
    if tid == 0:
        cute.arch.mbarrier_init(full, 192)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    counted(box, full)[tid] = a[tid]
    counted(box, full)[place(tid, full)] += 1.0
    cute.arch.mbarrier_wait(full, 0)


@cute.jit
def launch(a: cute.Tensor):
    fill(a).launch(grid=(1, 1, 1), block=(64, 1, 1))
