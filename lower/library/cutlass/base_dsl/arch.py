"""Targets, in the order in which code compares them: by number, then plain, a (this target alone), f (its family)."""

from enum import IntEnum


class Arch(IntEnum):
    sm_80 = 800
    sm_86 = 860
    sm_87 = 870
    sm_89 = 890
    sm_90 = 900
    sm_90a = 901
    sm_100 = 1000
    sm_100a = 1001
    sm_100f = 1002
    sm_101 = 1010
    sm_101a = 1011
    sm_101f = 1012
    sm_103 = 1030
    sm_103a = 1031
    sm_103f = 1032
    sm_107 = 1070
    sm_107a = 1071
    sm_107f = 1072
    sm_110 = 1100
    sm_110a = 1101
    sm_110f = 1102
    sm_120 = 1200
    sm_120a = 1201
    sm_120f = 1202
    sm_121 = 1210
    sm_121a = 1211
    sm_121f = 1212

    @property
    def major(self):
        return self.value // 100

    @property
    def minor(self):
        return self.value // 10 % 10

    def is_family_of(self, other):
        """A family is the targets of one number up to the next ten: 100, 103 and 107 run what sm_100f is compiled to."""
        return self.value // 100 == other.value // 100 and self.value >= other.value // 10 * 10
