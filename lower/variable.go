package lower

import ()

// Variables of static storage duration are global memory (CUDA C++ Programming Guide, __device__): those of namespaces, and static
// ones of functions, that are neither constants nor in another space. All CTAs have the same, and what they hold when a kernel
// begins is what the host or another kernel left there.
