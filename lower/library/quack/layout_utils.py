# Views of a tensor: the same memory under another shape.
import cutlass.cute as cute


def select(a, mode):
    return cute.select(a, mode=mode)


def transpose_view(a):
    """The first two modes change places; the others, stages among them, stay."""
    rest = [i for i in range(2, cute.rank(a))]
    return cute.select(a, mode=[1, 0, *rest])


def expand(a, dim, size):
    """One more mode of stride zero."""
    kept = [i for i in range(cute.rank(a))]
    shape = [cute.shape(a, mode=[i]) for i in kept]
    shape.insert(dim, size)
    return cute.composition(a, cute.make_layout(tuple(shape)))


def accumulator_rows_and_columns(shape, transpose):
    """((2, 2, v), m, n, …) of an accumulator is 2 m rows and 2 v n columns."""
    rows = (shape[0][1], shape[1])
    columns = (shape[0][0], *shape[0][2:], shape[2])
    if transpose:
        rows, columns = columns, rows
    return (rows, columns, *shape[3:])


def reshape_acc_to_mn(acc, transpose=False):
    return cute.composition(acc, cute.make_layout(accumulator_rows_and_columns(acc.shape, transpose)))


def make_acc_tensor_mn_view(acc, transpose=False):
    return reshape_acc_to_mn(acc, transpose)


def reshape_acc_to_frgA(acc):
    return acc


def spread(vec, size, column):
    """A vector of each stage as a tile whose columns, or rows, are all the same."""
    length, stages = vec.shape
    step = cute.get(vec.layout, mode=[1]).stride
    if column:
        return cute.make_tensor(vec.iterator, cute.make_layout((length, size, stages), stride=(1, 0, step)))
    return cute.make_tensor(vec.iterator, cute.make_layout((size, length, stages), stride=(0, 1, step)))


def mma_partition_C_vec(sVec, thr_mma, expand_shape, is_colvec):
    part = thr_mma.partition_C(spread(sVec, expand_shape, is_colvec))
    return part[None, 0, 0, None]


def mma_partition_A_vec(sVec, thr_mma, expand_shape, is_colvec):
    part = thr_mma.partition_A(spread(sVec, expand_shape, is_colvec))
    return part[None, 0, 0, None]
