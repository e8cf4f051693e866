# Flags that CTAs of several devices set and wait for (notes/cutedsl.md 1.5). A model has one device: what the others do
# to a flag is an assumption, and it is printed. Order and scope of these calls are the rules' business (FP3xx).
import cutlass.cute as cute
import fencepost

PEERS = "the flags that other devices set are set in the end"


def red_add1(lock_ptr, *, order, scope, loc=None, ip=None):
    pass


def multimem_red_add1(lock_ptr, *, order, scope, loc=None, ip=None):
    pass


def multimem_red_release_gpu_add1(lock_ptr, *, loc=None, ip=None):
    pass


def multimem_red_release_sys_add1(lock_ptr, *, loc=None, ip=None):
    pass


def multimem_red_relaxed_gpu_add1(lock_ptr, loc=None, ip=None):
    pass


def multimem_red_relaxed_sys_add1(lock_ptr, loc=None, ip=None):
    pass


def spin_lock_atom_cas_relaxed_wait(lock_ptr, *, expected_val, reset_val, scope, loc=None, ip=None):
    fencepost.assume(PEERS)


def spin_lock_atom_cas_acquire_wait(lock_ptr, *, expected_val, reset_val, scope, loc=None, ip=None):
    fencepost.assume(PEERS)


def spin_lock_ld_lt_relaxed_wait(lock_ptr, *, expected_val, scope, loc=None, ip=None):
    fencepost.assume(PEERS)


# Stores to the memory of all devices.
def multimem_st(mc_ptr, *regs, loc=None, ip=None):
    fencepost.stores_astray()


def multimem_st_1xb32(mc_ptr, x, *, loc=None, ip=None):
    fencepost.stores_astray()


def multimem_st_2xb32(mc_ptr, x, y, *, loc=None, ip=None):
    fencepost.stores_astray()


def multimem_st_4xb32(mc_ptr, x, y, z, w, *, loc=None, ip=None):
    fencepost.stores_astray()


def atomicAdd(dst_ptr, val, *, loc=None, ip=None):
    return cute.arch.atomic_add(ptr=dst_ptr, val=val, sem="relaxed", scope="sys")
