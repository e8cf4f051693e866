# Shared memory a CTA may use, in KiB (CUDA C++ Programming Guide, technical specifications by compute capability: 164,
# 100, 228, 228 and 100 KiB a multiprocessor, less 1 KiB that the system keeps for each CTA).
CAPACITY = {"sm_80": 163, "sm_86": 99, "sm_89": 99, "sm_90": 227, "sm_100": 227, "sm_101": 227, "sm_103": 227,
            "sm_110": 227, "sm_120": 99, "sm_121": 99}


def get_smem_capacity_in_bytes(compute_capability="sm_100"):
    return CAPACITY.get(compute_capability.rstrip("af"), 227) * 1024
