# What a host program asks the device. Answers are unknowns of the launch: no model depends on a particular device.
import fencepost


class HardwareInfo:
    def __init__(self, device_id=0):
        self.device_id = device_id

    def get_max_active_clusters(self, cluster_size, stream=None):
        return fencepost.symbol("max_active_clusters")

    def get_l2_cache_size_in_bytes(self):
        return fencepost.symbol("l2_cache_size")

    def get_device_multiprocessor_count(self):
        return fencepost.symbol("multiprocessors")
