# What the Blackwell helpers choose. Layouts are the evaluator's own; only the tile of the epilogue needs a model, because
# it decides how often the epilogue's loop goes round: as many columns as keep a tile of the result at 4096 elements.


def compute_epilogue_tile_shape(cta_tile_shape, use_2cta_instrs, layout_d, elem_ty_d, *, layout_c=None, elem_ty_c=None, loc=None, ip=None):
    rows = min(cta_tile_shape[0], 128)
    if cta_tile_shape[0] == 64 and use_2cta_instrs:
        rows = 64
    elements = 4096
    if elem_ty_d.width == 4:
        elements = 8192
    return (rows, min(cta_tile_shape[1], elements // rows))
