# Activation functions and packed arithmetic: numbers in registers, of which nothing here depends.
import fencepost


def sub_packed_f32x2(a, b, *, loc=None, ip=None):
    return fencepost.data(), fencepost.data()


def tanh(a, *, loc=None, ip=None):
    return fencepost.data()


def sigmoid(a, *, loc=None, ip=None):
    return fencepost.data()


def silu(a, *, loc=None, ip=None):
    return fencepost.data()


def relu(a, *, loc=None, ip=None):
    return fencepost.data()
