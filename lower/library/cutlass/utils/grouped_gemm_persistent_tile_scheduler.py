# The tile schedulers of grouped GEMM: a tile also has a group, whose problem shape decides the tile's trip count. Which
# groups follow one another is data; each tile's group is an unknown of that tile, the same for every role.
import fencepost
from cutlass.utils.static_persistent_tile_scheduler import (
    StaticPersistentTileScheduler, WorkTileInfo, _cta_in_cluster)


class GroupSearchResult:
    def __init__(self, group_idx, cta_tile_idx_m, cta_tile_idx_n, problem_shape_m, problem_shape_n, problem_shape_k,
                 cta_tile_count_k):
        self.group_idx = group_idx
        self.cta_tile_idx_m = cta_tile_idx_m
        self.cta_tile_idx_n = cta_tile_idx_n
        self.problem_shape_m = problem_shape_m
        self.problem_shape_n = problem_shape_n
        self.problem_shape_k = problem_shape_k
        self.cta_tile_count_k = cta_tile_count_k


class GroupedGemmGroupSearchState:
    def __init__(self, start_group_idx, tile_count_prev_group, tile_count_searched, found):
        self.start_group_idx = start_group_idx
        self.tile_count_prev_group = tile_count_prev_group
        self.tile_count_searched = tile_count_searched
        self.found = found


def create_initial_search_state():
    return GroupedGemmGroupSearchState(0, 0, 0, False)


def _group_of(tile, cluster_tile_shape_mnk):
    # tile is the canonical name of the tile of the cluster. Kernels take the number of tiles along K from here or work it
    # out from the problem shape: both are one count.
    k, along = fencepost.symbol(tile, ".group.k"), cluster_tile_shape_mnk[2]
    return GroupSearchResult(
        fencepost.symbol(tile, ".group"), fencepost.symbol(tile, ".m"), fencepost.symbol(tile, ".n"),
        fencepost.symbol(tile, ".group.m"), fencepost.symbol(tile, ".group.n"), k,
        (k + along - 1) // along)


def _group_at(params, cta_tile_coord, cluster_tile_shape_mnk):
    # The index along z counts the tiles of clusters: it alone decides the group, so the CTAs of a cluster have the same.
    return _group_of(fencepost.symbol(params._tiles, "[", cta_tile_coord[2], "]"), cluster_tile_shape_mnk)


class GroupedWorkTileInfo(WorkTileInfo):
    def __init__(self, tile_idx, is_valid_tile, group_search_result):
        super().__init__(tile_idx, is_valid_tile)
        self.group_search_result = group_search_result


class StaticPersistentGroupTileScheduler(StaticPersistentTileScheduler):
    def __init__(self, params, num_persistent_clusters, current_work_linear_idx, cta_id_in_cluster, num_tiles_executed,
                 cluster_tile_shape_mnk, search_state, group_count, problem_shape_mnkl, *args, **kwargs):
        super().__init__(params, num_persistent_clusters, current_work_linear_idx, cta_id_in_cluster, num_tiles_executed)
        self.cluster_tile_shape_mnk = cluster_tile_shape_mnk
        self.search_state = search_state
        self.group_count = group_count
        self.problem_shape_mnkl = problem_shape_mnkl

    @staticmethod
    def create(params, block_idx, grid_dim, cluster_tile_shape_mnk, initial_search_state, group_count,
               problem_shape_mnkl, use_cached_problem_shapes=False, *, loc=None, ip=None):
        return StaticPersistentGroupTileScheduler(
            params, grid_dim[2], block_idx[2], _cta_in_cluster(params, block_idx), 0, cluster_tile_shape_mnk,
            initial_search_state, group_count, problem_shape_mnkl)

    def prefetch_problem_shapes(self, *, loc=None, ip=None):
        pass

    def delinearize_z(self, cta_tile_coord, *, loc=None, ip=None):
        return _group_at(self.params, cta_tile_coord, self.cluster_tile_shape_mnk)

    def get_current_work(self, *, loc=None, ip=None):
        work = self._get_current_work_for_linear_idx(self._current_work_linear_idx)
        tile = fencepost.symbol(self.params._tiles, "[", self._step, "]")
        return GroupedWorkTileInfo(work.tile_idx, work.is_valid_tile, _group_of(tile, self.cluster_tile_shape_mnk))


class GroupedGemmTileSchedulerHelper:
    def __init__(self, group_count, tile_sched_params, cluster_tile_shape_mnk, search_state):
        self.group_count = group_count
        self.tile_sched_params = tile_sched_params
        self.cluster_tile_shape_mnk = cluster_tile_shape_mnk
        self.search_state = search_state

    def delinearize_z(self, cta_tile_coord, problem_shape_mnkl):
        return _group_at(self.tile_sched_params, cta_tile_coord, self.cluster_tile_shape_mnk)

    def search_cluster_tile_count_k(self, cta_tile_coord, problem_shape_mnkl):
        group = self.delinearize_z(cta_tile_coord, problem_shape_mnkl)
        return group.cta_tile_count_k, group.group_idx
