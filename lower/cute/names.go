package cute

import "strings"

// commonNames are functions of CuTe with common names: only a path that starts in the DSL means them.
var commonNames = map[string]bool{"size": true, "shape": true, "rank": true, "get": true, "select": true, "append": true, "prepend": true,
	"copy": true, "gemm": true, "flatten": true, "product": true, "filter": true, "round_up": true, "composition": true, "dice": true,
	"slice_": true, "prefetch": true, "ceil_div": true, "depth": true, "is_static": true, "assume": true}

// allocates is cute.experimental.allocate, of which memory that is shared is an operation.
const allocates = "cutlass.cute.experimental.allocate"

// Function reports whether a function, by its path and the last name of that, is one of CuTe's that is evaluated. Those of the
// compiler's dialects are instructions.
func Function(path, name string) bool {
	if !evaluated(name) && path != allocates || strings.HasPrefix(path, "cutlass._mlir.") {
		return false
	}
	return !commonNames[name] || strings.HasPrefix(path, "cute.") || strings.HasPrefix(path, "cutlass.")
}

func evaluated(short string) bool {
	switch short {
	case "make_layout", "make_identity_layout", "make_ordered_layout", "make_composed_layout", "tile_to_shape", "recast_layout",
		"size", "shape", "rank", "cosize", "get", "select", "append", "prepend", "append_ones", "prepend_ones", "group_modes", "slice_", "dice",
		"flatten", "flatten_to_tuple", "get_max_tmem_alloc_cols", "get_min_tmem_alloc_cols", "find_tmem_tensor_col_offset", "coalesce", "filter_zeros", "filter", "product_each", "product", "ceil_div", "round_up", "shape_div",
		"size_in_bytes", "FastDivmodDivisor", "fast_divmod_create_divisor", "crd2idx", "idx2crd", "make_layout_image_mask", "create_tma_multicast_mask", "assume",
		"logical_divide", "zipped_divide", "tiled_divide", "flat_divide", "local_tile", "local_partition",
		"make_tensor", "make_identity_tensor", "make_rmem_tensor", "make_fragment", "make_rmem_tensor_like", "make_fragment_like",
		"recast_tensor", "recast_ptr", "domain_offset", "composition", "tma_partition", "copy", "autovec_copy", "basic_copy", "basic_copy_if", "copy_atom_call", "gemm", "prefetch",
		"make_tiled_tma_atom", "make_tiled_tma_atom_A", "make_tiled_tma_atom_B", "make_copy_atom", "CopyAtom", "make_tiled_copy", "make_tiled_copy_tv", "make_cotiled_copy",
		"make_tiled_copy_A", "make_tiled_copy_B", "make_tiled_copy_C", "make_tiled_copy_D", "make_tiled_copy_S", "make_tiled_copy_C_atom",
		"make_tmem_copy", "make_s2t_copy", "get_tmem_load_op", "get_s2t_smem_desc_tensor", "make_tiled_mma", "make_mma_atom", "make_trivial_tiled_mma", "make_blockscaled_trivial_tiled_mma",
		"make_smem_layout", "make_smem_layout_a", "make_smem_layout_b", "make_smem_layout_epi", "make_smem_layout_sfa", "make_smem_layout_sfb", "make_tmem_layout_sfa", "make_tmem_layout_sfb":
		return true
	}
	return strings.HasSuffix(short, "Op") && (strings.HasPrefix(short, "Mma") || strings.HasPrefix(short, "SM103Mma") || strings.HasPrefix(short, "Copy") || strings.HasPrefix(short, "Cp") || WarpWide(short))
}
