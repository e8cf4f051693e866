# What instructions of tcgen05 and wgmma are told of memory: a descriptor, which says where in shared memory an operand is
# (PTX ISA 9.7.16.4.1), and an address in tensor memory, the lane in its upper 16 bits and the column in its lower ones
# (PTX ISA 9.7.16.1). Of a descriptor the model keeps the address that it was made of and by how many bytes it has been moved
# on since; how the operand lies there is not kept.
import cutlass
import fencepost

UNIT = 16  # bytes that a descriptor counts in


class Tcgen05SmemDesc:
    def __init__(self, memory, ahead=0):
        self.memory = memory
        self.ahead = ahead

    @classmethod
    def build(cls, start_address, leading_byte_offset=0, stride_byte_offset=0, base_offset=0, layout=0, leading_dim_mode=0):
        return cls(start_address)

    def advance_start_address(self, byte_increment):
        return self.__class__(self.memory, self.ahead + byte_increment)

    def __add__(self, encoded):
        return self.__class__(self.memory, self.ahead + encoded * UNIT)

    def __radd__(self, encoded):
        return self + encoded

    def ir_value(self, *, loc=None, ip=None):
        return self


class WgmmaSmemDesc(Tcgen05SmemDesc):
    pass


class Tcgen05InstrDesc:
    def __init__(self, value, c_dtype=None, n_dim=None, m_dim=None):
        self.value = value
        self.c_dtype = c_dtype
        self.n_dim = n_dim
        self.m_dim = m_dim

    @classmethod
    def build(cls, sparse_id2=0, sparse_flag=0, saturate=0, sparse_format=0, c_dtype=None, a_dtype=None, b_dtype=None,
              a_negate=0, b_negate=0, a_major=0, b_major=0, n_dim=0, m_dim=0, k_dim=0, max_shift=0):
        return cls(fencepost.data(), c_dtype, n_dim, m_dim)


class Tcgen05MxInstrDesc(Tcgen05InstrDesc):  # its sums are always of 32 bits
    @classmethod
    def build(cls, sparse_flag=0, b_sf_id=0, a_sf_id=0, a_dtype=None, b_dtype=None, scale_format=1, a_negate=0, b_negate=0,
              a_major=0, b_major=0, n_dim=0, m_dim=0, k_dim=0, a_sf_layout=0):
        return cls(fencepost.data(), cutlass.Float32, n_dim, m_dim)

    def set_sf_ids(self, *ids, **named):
        return self


class TmemAddr:
    def __init__(self, value):
        self.value = value

    @property
    def col_id(self):
        return self.value & 0xFFFF

    @property
    def row_id(self):
        return (self.value >> 16) & 0xFFFF

    @staticmethod
    def from_row_col(row, col):
        return TmemAddr((row << 16) | (col & 0xFFFF))

    def __add__(self, other):
        return self.value + other

    def ir_value(self, *, loc=None, ip=None):
        return self.value

    def as_ptr(self, dtype):
        return fencepost.tensor_address(self.value, dtype)


def make_tmem_ptr(tmem_addr, dtype, *, loc=None, ip=None):
    return fencepost.tensor_address(tmem_addr, dtype)


def make_tmem_ptr_from_warp_row_col(tmem_base, warp, base_col, dtype, *, loc=None, ip=None):
    return TmemAddr.from_row_col((tmem_base >> 16) + warp * 32, base_col).as_ptr(dtype)
