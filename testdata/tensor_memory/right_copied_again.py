# One warp copies the weights of a round to tensor memory and multiplies by them, and copies those of the next round over them when a commit
# says that the multiplication is over.
# expect: holds
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Int32
from cutlass.cute.nvgpu import tcgen05

DEPTH = 64


class Weighted:
    def __init__(self):
        self.tile = (128, 128, DEPTH)

    @cute.jit
    def __call__(self, rounds: Int32):
        mma = cute.make_tiled_mma(
            tcgen05.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (128, 128, 16), tcgen05.CtaGroup.ONE, tcgen05.OperandSource.TMEM)
        )
        values = utils.sm100.make_smem_layout_b(mma, self.tile, cutlass.Float16, 1)
        weights = utils.sm100.make_smem_layout_a(mma, self.tile, cutlass.Float16, 1)

        @cute.struct
        class Storage:
            done: cutlass.Int64
            address: cutlass.Int32
            weights: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, cute.cosize(weights)], 1024]
            values: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, cute.cosize(values)], 1024]

        self.storage = Storage
        self.kernel(mma, values, weights, rounds).launch(grid=(1, 1, 1), block=(32, 1, 1))

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, layout: cute.Layout, operand: cute.Layout, rounds: Int32):
        tidx, _, _ = cute.arch.thread_idx()
        storage = utils.SmemAllocator().allocate(self.storage)
        done = storage.done.ptr
        address = storage.address.ptr
        if tidx == 0:
            cute.arch.mbarrier_init(done, 1)
            cute.arch.mbarrier_init_fence()
        cute.arch.alloc_tmem(512, address)
        cute.arch.sync_threads()
        base = cute.arch.retrieve_tmem_ptr(cutlass.Float32, 16, address)
        sums = cute.make_tensor(base, mma.make_fragment_C(mma.partition_shape_C((128, 128))).layout)
        halves = cute.recast_ptr(base + 128, dtype=cutlass.Float16)
        weights = cute.make_tensor(halves, cute.make_layout(((128, 16), 1, DEPTH // 16), stride=((131072, 1), 0, 16)))
        source = storage.weights.get_tensor(operand)
        factors = mma.make_fragment_A(weights)
        values = mma.make_fragment_B(storage.values.get_tensor(layout))
        atom = cute.make_copy_atom(tcgen05.Cp128x256bOp(tcgen05.CtaGroup.ONE), cutlass.Float16)
        copy = tcgen05.make_s2t_copy(atom, weights)
        for n in cutlass.range(rounds):
            cute.copy(copy, source, weights)
            for block in cutlass.range_constexpr(DEPTH // 16):
                cute.gemm(mma, sums, factors[None, None, block], values[None, None, block, 0], sums)
            with cute.arch.elect_one():
                tcgen05.commit(done)
            cute.arch.mbarrier_wait(done, n & 1)
        cute.arch.dealloc_tmem(base, 512)
