"""Where a CTA stands in its cluster, and whom it signals: closed forms of the layouts that kernels hand to `create`.

CTAs of a cluster are numbered with v (the CTAs of one tcgen05 MMA) running first, then m, then n, then k
(notes/cutedsl.md 1.4): a layout (V, M, N, K) is described by its extents.
"""

import cutlass.cute as cute


class Place:
    """The extents of a cluster's layout and the running CTA's coordinates in it."""

    def __init__(self, cta_layout_vmnk):
        if cta_layout_vmnk is None or cute.arch.cluster_size() == 1:
            self.size = 1
            self.extent = (1, 1, 1)
        else:
            self.size = cute.size(cta_layout_vmnk)
            self.extent = (
                cute.size(cta_layout_vmnk, mode=[0]),
                cute.size(cta_layout_vmnk, mode=[1]),
                cute.size(cta_layout_vmnk, mode=[2]),
            )
        self.rank = 0
        if self.size > 1:
            self.rank = cute.arch.block_idx_in_cluster()
        self.v, self.m, self.n, self.k = self.coordinates(self.rank)

    def coordinates(self, rank):
        pair = rank // self.extent[0]
        row = pair // self.extent[1]
        return rank % self.extent[0], pair % self.extent[1], row % self.extent[2], row // self.extent[2]

    def two_cta(self):
        """Whether two CTAs make up one MMA."""
        return self.extent[0] > 1

    def is_leader(self):
        """The first CTA of an MMA issues it and owns the barriers of both."""
        return self.v == 0

    def leader_rank(self):
        return self.rank // self.extent[0] * self.extent[0]

    def pair_mask(self):
        """The CTAs of the running CTA's MMA."""
        return ((1 << self.extent[0]) - 1) << self.leader_rank()

    def multicast_mask(self, mcast_mode_mn):
        """The CTAs that use an operand tile this CTA's MMA uses: A tiles go to CTAs of the same m and k, B tiles to those
        of the same n and k."""
        mask = 0
        for rank in range(self.size):
            if self.shares(rank, mcast_mode_mn):
                mask = mask | (1 << rank)
        return mask

    def shares(self, rank, mcast_mode_mn):
        v, m, n, k = self.coordinates(rank)
        if k != self.k:
            return False
        by_a = mcast_mode_mn[0] == 1 and m == self.m
        by_b = mcast_mode_mn[1] == 1 and n == self.n
        return by_a or by_b

    def is_fed_by(self, rank, mcast_mode_mn):
        """Whether the TMA of the CTA of that rank fills this CTA's stages: the same half of the MMA, and a shared tile."""
        v = self.coordinates(rank)[0]
        return v == self.v and self.shares(rank, mcast_mode_mn)

    def multicast_size(self, mcast_mode_mn):
        """How many leaders release one stage of this CTA."""
        if mcast_mode_mn[0] == 1 and mcast_mode_mn[1] == 1:
            return self.extent[1] + self.extent[2] - 1
        if mcast_mode_mn[0] == 1:
            return self.extent[2]
        return self.extent[1]
