# The scheduler that cancels what is left over without looking at an answer: the CTA may be gone when they are written.
# expect: violated lifetime race
# small: -
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass import Boolean, Int32, Int64

TILE = 64
THREADS = 64
MOST = 4


class Finder:
    def __init__(self, starts, sequences, first, base, end):
        self.starts = starts
        self.sequences = sequences
        self.sequence = first
        self.base = base
        self.end = end

    @cute.jit
    def find(self, tile: Int32, given: Boolean):
        """The number of the tile in its sequence, and whether there is such a tile."""
        lane = cute.arch.lane_idx()
        sequence, base, end = self.sequence, self.base, self.end
        if given:
            while end <= tile and sequence < self.sequences:
                tiles = Int32(0)
                if sequence + lane < self.sequences:
                    tiles = (self.starts[sequence + lane + 1] - self.starts[sequence + lane] + TILE - 1) // TILE
                total = tiles
                for step in cutlass.range_constexpr(5):
                    other = cute.arch.shuffle_sync_up(total, 1 << step)
                    if lane >= 1 << step:
                        total += other
                before = cute.arch.popc(cute.arch.vote_ballot_sync(end + total <= tile))
                if before < 32:
                    base = end + cute.arch.shuffle_sync(total - tiles, before)
                    end = end + cute.arch.shuffle_sync(total, before)
                    sequence += before
                else:
                    end += cute.arch.shuffle_sync(total, 31)
                    sequence += 32
        else:
            sequence = self.sequences
        self.sequence, self.base, self.end = sequence, base, end
        return tile - base, sequence < self.sequences


@cute.kernel
def lookup(starts: cute.Tensor, sequences: Int32):
    tid, _, _ = cute.arch.thread_idx()
    bid, _, _ = cute.arch.block_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    smem = utils.SmemAllocator()
    slots = smem.allocate_tensor(Int32, cute.make_layout((4, 3)), 16)
    full = smem.allocate_array(Int64, 1)
    empty = smem.allocate_array(Int64, 1)
    answer = slots[None, 0].iterator
    last = slots[None, 1].iterator
    gate = last + 4
    if tid == 0:
        cute.arch.mbarrier_init(full, 1)
        cute.arch.mbarrier_init(empty, 2)
        cute.arch.mbarrier_init(gate, 1)
        cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    finder = Finder(starts, sequences, Int32(0), Int32(0), Int32(0))
    part, valid = finder.find(bid, Boolean(True))
    phase = Int32(0)
    while valid:
        if warp == 0:
            cute.arch.mbarrier_wait(empty, phase ^ 1)
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(full, 16)
                cute.arch.issue_clc_query(full, answer, multicast=False)
        cute.arch.mbarrier_wait(full, phase)
        tile, _, _, given = cute.arch.clc_response(answer)
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.sync_warp()
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive(empty)
        phase ^= 1
        part, valid = finder.find(tile, Boolean(given))
    if warp == 0:
        cute.arch.mbarrier_wait(empty, phase ^ 1)
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(gate, 16 * MOST)
            for _ in cutlass.range(MOST):
                cute.arch.issue_clc_query(gate, last, multicast=False)


@cute.jit
def launch(starts: cute.Tensor, sequences: Int32, rows: Int32):
    lookup(starts, sequences).launch(grid=((rows + TILE - 1) // TILE + sequences, 1, 1), block=(THREADS, 1, 1))
