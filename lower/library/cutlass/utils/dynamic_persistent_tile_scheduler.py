# The dynamic scheduler over cluster launch control (PTX ISA 9.7.13.17; notes/cutedsl.md R11). The first tile is the
# CTA's own; every further one is a response that hardware writes into shared memory, and completes on an mbarrier.
import cutlass.cute as cute
from cutlass.utils.static_persistent_tile_scheduler import WorkTileInfo


class ClcDynamicPersistentTileSchedulerParams:
    def __init__(self, problem_shape_ntile_mnl, cluster_shape_mnk, swizzle_size=1, raster_along_m=True, *,
                 fallback_cluster_shape_mnk=None, loc=None, ip=None):
        self.problem_shape_ntile_mnl = problem_shape_ntile_mnl
        self._cluster_shape_mnk = cluster_shape_mnk
        self.cluster_shape_mn = (cluster_shape_mnk[0], cluster_shape_mnk[1])
        self.swizzle_size = swizzle_size
        self._raster_along_m = raster_along_m

    def get_grid_shape(self, *, loc=None, ip=None):
        shape = self.problem_shape_ntile_mnl
        cluster = self.cluster_shape_mn
        return (cute.round_up(shape[0], cluster[0]), cute.round_up(shape[1], cluster[1]), shape[2])


class ClcDynamicPersistentTileScheduler:
    def __init__(self, params, cta_id_in_cluster, num_tiles_executed, clc_response_ptr, block_idx, insert_fence=True):
        self.params = params
        self.cta_id_in_cluster = cta_id_in_cluster
        self._num_tiles_executed = num_tiles_executed
        self._clc_response_ptr = clc_response_ptr
        self._block_idx = block_idx
        self._insert_fence = insert_fence

    @staticmethod
    def create(params, block_idx, grid_dim, clc_response_ptr, insert_fence=True, *, loc=None, ip=None):
        shape = params.cluster_shape_mn
        cta = (block_idx[0] % shape[0], block_idx[1] % shape[1], 0)
        return ClcDynamicPersistentTileScheduler(params, cta, 0, clc_response_ptr, block_idx, insert_fence)

    @staticmethod
    def get_grid_shape(params, *, loc=None, ip=None):
        return params.get_grid_shape()

    def initial_work_tile_info(self, *, loc=None, ip=None):
        return WorkTileInfo((self._block_idx[0], self._block_idx[1], self._block_idx[2]), True)

    def work_tile_info_from_clc_response(self, result_addr, *, loc=None, ip=None):
        m, n, l, valid = cute.arch.clc_response(result_addr)
        if self._insert_fence:
            cute.arch.fence_proxy("async.shared", space="cta")
        return WorkTileInfo((m + self.cta_id_in_cluster[0], n + self.cta_id_in_cluster[1], l), valid)

    @property
    def num_tiles_executed(self):
        return self._num_tiles_executed

    def get_current_work(self, *, loc=None, ip=None):
        return self.work_tile_info_from_clc_response(self._clc_response_ptr)

    def advance_to_next_work(self, mbarrier_addr, *, loc=None, ip=None):
        with cute.arch.elect_one():
            cute.arch.issue_clc_query(mbarrier_addr, self._clc_response_ptr)
        self._num_tiles_executed = self._num_tiles_executed + 1
