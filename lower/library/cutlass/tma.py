# What the library's makers of tiled TMA copies give: the copy and the tensor as TMA sees it, as a pair. The layout of
# shared memory that it was made for is an attribute besides.
from typing import NamedTuple


class TmaInfo(NamedTuple):
    atom: object
    tma_tensor: object
