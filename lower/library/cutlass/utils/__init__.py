from cutlass.utils.static_persistent_tile_scheduler import (
    WorkTileInfo, PersistentTileSchedulerParams, StaticPersistentTileScheduler, StaticPersistentRuntimeTileScheduler)
from cutlass.utils.dynamic_persistent_tile_scheduler import (
    ClcDynamicPersistentTileSchedulerParams, ClcDynamicPersistentTileScheduler)
from cutlass.utils.grouped_gemm_persistent_tile_scheduler import (
    GroupSearchResult, GroupedGemmGroupSearchState, create_initial_search_state, GroupedWorkTileInfo,
    StaticPersistentGroupTileScheduler, GroupedGemmTileSchedulerHelper)
from cutlass.utils.tensormap_manager import TensorMapUpdateMode, TensorMapManager
from cutlass.utils.tmem_allocator import (
    TmemAllocator, TmemBufferPool, get_num_tmem_alloc_cols, compute_tmem_cols_from_layout)
from cutlass.utils.hardware_info import HardwareInfo
from cutlass.utils.smem_allocator import get_smem_capacity_in_bytes
from cutlass.utils import gemm
from cutlass.utils import blackwell_helpers
from cutlass.utils import mixed_input_helpers
from cutlass.utils import blackwell_helpers as sm100
from cutlass.utils import distributed
from cutlass.utils.blackwell_helpers import compute_epilogue_tile_shape
from cutlass.utils.block import block_copy
