# Static persistent tile schedulers (notes/cutedsl.md R10): whoever asks with the same parameters gets the same tiles,
# and tile i of one role is tile i of every other. The number of tiles of a CTA is one unknown; the coordinates of a
# tile are unknowns that carry the tile's number, so that what is computed from them is computed per tile.
import fencepost


class WorkTileInfo:
    def __init__(self, tile_idx, is_valid_tile):
        self.tile_idx = tile_idx
        self.is_valid_tile = is_valid_tile


class PersistentTileSchedulerParams:
    def __init__(self, problem_shape_ntile_mnl, cluster_shape_mnk, swizzle_size=1, raster_along_m=True, *,
                 fallback_cluster_shape_mnk=None, loc=None, ip=None):
        self.problem_shape_ntile_mnl = problem_shape_ntile_mnl
        self._cluster_shape_mnk = cluster_shape_mnk
        self.cluster_shape_mn = (cluster_shape_mnk[0], cluster_shape_mnk[1])
        self.swizzle_size = swizzle_size
        self._raster_along_m = raster_along_m
        self._tiles = fencepost.name("tiles", problem_shape_ntile_mnl, cluster_shape_mnk, swizzle_size)

    def get_grid_shape(self, max_active_clusters, *, loc=None, ip=None):
        # One row of clusters a persistent cluster: its length is only known where the kernel is launched.
        return (self.cluster_shape_mn[0], self.cluster_shape_mn[1], fencepost.symbol(self._tiles, ".clusters"))


def _cta_in_cluster(params, block_idx):
    shape = params.cluster_shape_mn
    return (block_idx[0] % shape[0], block_idx[1] % shape[1], 0)


class StaticPersistentTileScheduler:
    def __init__(self, params, num_persistent_clusters, current_work_linear_idx, cta_id_in_cluster, num_tiles_executed):
        self.params = params
        self.num_persistent_clusters = num_persistent_clusters
        self._current_work_linear_idx = current_work_linear_idx
        self.cta_id_in_cluster = cta_id_in_cluster
        self._num_tiles_executed = num_tiles_executed
        self._step = 0

    @staticmethod
    def create(params, block_idx, grid_dim, *, loc=None, ip=None):
        return StaticPersistentTileScheduler(params, grid_dim[2], block_idx[2], _cta_in_cluster(params, block_idx), 0)

    @staticmethod
    def get_grid_shape(params, max_active_clusters, *, loc=None, ip=None):
        return params.get_grid_shape(max_active_clusters)

    def _get_current_work_for_linear_idx(self, current_work_linear_idx, *, loc=None, ip=None):
        tiles = self.params._tiles
        shape = self.params.cluster_shape_mn
        m = fencepost.symbol(tiles, "[", self._step, "].m")
        n = fencepost.symbol(tiles, "[", self._step, "].n")
        l = fencepost.symbol(tiles, "[", self._step, "].l")
        coord = (m * shape[0] + self.cta_id_in_cluster[0], n * shape[1] + self.cta_id_in_cluster[1], l)
        return WorkTileInfo(coord, self._step < fencepost.count(tiles))

    @property
    def num_tiles_executed(self):
        return self._num_tiles_executed

    def get_current_work(self, *, loc=None, ip=None):
        return self._get_current_work_for_linear_idx(self._current_work_linear_idx)

    def initial_work_tile_info(self, *, loc=None, ip=None):
        return self.get_current_work()

    def advance_to_next_work(self, *, advance_count=1, loc=None, ip=None):
        self._step = self._step + advance_count
        self._current_work_linear_idx = self._current_work_linear_idx + advance_count * self.num_persistent_clusters
        self._num_tiles_executed = self._num_tiles_executed + 1


class StaticPersistentRuntimeTileScheduler(StaticPersistentTileScheduler):
    def __init__(self, params, num_persistent_clusters, current_work_linear_idx, cta_id_in_cluster, num_tiles_executed,
                 inner_mode=1):
        super().__init__(params, num_persistent_clusters, current_work_linear_idx, cta_id_in_cluster, num_tiles_executed)
        self.inner_mode = inner_mode

    @staticmethod
    def create(params, block_idx, grid_dim, inner_mode=1, *, loc=None, ip=None):
        return StaticPersistentRuntimeTileScheduler(
            params, grid_dim[2], block_idx[2], _cta_in_cluster(params, block_idx), 0, inner_mode)
