# What the Hopper helpers choose. Layouts are the evaluator's own; only the tile of the epilogue needs a model, because
# it decides how often the epilogue's loop goes round.


def compute_tile_shape_or_override(tile_shape_mnk, element_type, is_cooperative=False, epi_tile_override=None, *, loc=None, ip=None):
    if epi_tile_override is not None:
        return epi_tile_override
    if is_cooperative:
        return (min(128, tile_shape_mnk[0]), min(32, tile_shape_mnk[1]))
    widest = 32
    if element_type.width == 8:
        widest = 64
    return (min(64, tile_shape_mnk[0]), min(widest, tile_shape_mnk[1]))
