# The owner of a CTA's tensor memory. tcgen05.alloc writes the address of the columns to shared memory (PTX ISA 9.7.16.7);
# the named barrier lets the other warps read it, and the caller must see to it that every use is over before free.
import cutlass
import cutlass.cute as cute
import fencepost

COLUMNS = 512


class TmemBufferPool:
    def __init__(self, base_ptr, total_cols):
        self.base_ptr = base_ptr
        self.total_cols = total_cols
        self.current_offset = 0

    @property
    def remaining_cols(self):
        return self.total_cols - self.current_offset

    def allocate(self, size, dtype, *, loc=None, ip=None):
        return fencepost.data()

    def allocate_tensor(self, layout, dtype, *, loc=None, ip=None):
        return fencepost.data()


class TmemAllocator:
    def __init__(self, alloc_result_dst_smem_ptr=None, *, barrier_for_retrieve, allocator_warp_id=0, is_two_cta=False,
                 num_allocated_columns=0, two_cta_tmem_dealloc_mbar_ptr=None, arch="sm_100", initialize_mbarrier=True,
                 loc=None, ip=None):
        if cute.arch.cluster_size() == 1:
            is_two_cta = False  # a pair needs a cluster of two
        if alloc_result_dst_smem_ptr is None:
            alloc_result_dst_smem_ptr = cute.arch.alloc_smem(cutlass.Int32, 1)
        self._alloc_result_dst_smem_ptr = alloc_result_dst_smem_ptr
        self._barrier_for_retrieve = barrier_for_retrieve
        self._allocator_warp_id = allocator_warp_id
        self._is_two_cta = is_two_cta
        self._num_allocated_columns = num_allocated_columns
        self._two_cta_tmem_dealloc_mbar_ptr = two_cta_tmem_dealloc_mbar_ptr
        if is_two_cta:
            if two_cta_tmem_dealloc_mbar_ptr is None:
                self._two_cta_tmem_dealloc_mbar_ptr = cute.arch.alloc_mbarrier(1)
            if initialize_mbarrier:
                self._init_dealloc_mbarrier()

    def _init_dealloc_mbarrier(self, *, loc=None, ip=None):
        # Every lane of the peer's allocating warp says that it is done with the pair's tensor memory.
        if cute.arch.warp_idx() == self._allocator_warp_id:
            with cute.arch.elect_one():
                cute.arch.mbarrier_init(self._two_cta_tmem_dealloc_mbar_ptr, 32)
        cute.arch.mbarrier_init_fence()

    def check_valid_num_columns(self, num_columns):
        return True

    def allocate(self, num_columns, *, loc=None, ip=None):
        if cute.arch.warp_idx() == self._allocator_warp_id:
            cute.arch.alloc_tmem(num_columns, self._alloc_result_dst_smem_ptr, is_two_cta=self._is_two_cta)
            self._num_allocated_columns = num_columns

    def wait_for_alloc(self, *, loc=None, ip=None):
        self._barrier_for_retrieve.arrive_and_wait()

    def retrieve_ptr(self, dtype=cutlass.Float32, *, loc=None, ip=None):
        return cute.arch.retrieve_tmem_ptr(dtype, 16, self._alloc_result_dst_smem_ptr)

    def reserve(self, num_columns, *, loc=None, ip=None):
        return TmemBufferPool(self.retrieve_ptr(), num_columns)

    def relinquish_alloc_permit(self, *, loc=None, ip=None):
        pass

    def free(self, tmem_ptr, num_columns=0, *, loc=None, ip=None):
        if cute.arch.warp_idx() == self._allocator_warp_id:
            if self._is_two_cta:
                # Neither CTA of a pair frees while the other may still use the tensor memory of both.
                peer = cute.arch.block_idx_in_cluster() ^ 1
                cute.arch.mbarrier_arrive(self._two_cta_tmem_dealloc_mbar_ptr, peer)
                cute.arch.mbarrier_wait(self._two_cta_tmem_dealloc_mbar_ptr, 0)
            cute.arch.dealloc_tmem(tmem_ptr, num_columns, is_two_cta=self._is_two_cta)


def get_num_tmem_alloc_cols(tmem_tensors, rounding=True, *, arch="sm_100", loc=None, ip=None):
    return COLUMNS


def compute_tmem_cols_from_layout(layout, dtype, *, loc=None, ip=None):
    return COLUMNS
