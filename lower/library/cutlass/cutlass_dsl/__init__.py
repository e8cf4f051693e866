"""What kernels use of the DSL's own machinery: control flow in the form of function calls, and the compiler."""

from cutlass.base_dsl import Arch, BaseDSL


def if_generate(pred, then_body, else_body=None, input_args=[], return_types=[], *, loc=None, ip=None):
    if pred:
        return then_body(*input_args)
    elif else_body is not None:
        return else_body(*input_args)


def and_(*args):
    all_true = True
    for arg in args:
        all_true = all_true and arg
    return all_true


def or_(*args):
    any_true = False
    for arg in args:
        any_true = any_true or arg
    return any_true


def not_(arg, *, loc=None, ip=None):
    return not arg
