from cutlass.base_dsl.arch import Arch


class BaseDSL:
    """The compiler. Nothing in a file says which GPU it compiles for."""

    @staticmethod
    def _get_dsl():
        return BaseDSL()

    def get_arch_enum(self):
        return getattr(Arch, fencepost.target())
