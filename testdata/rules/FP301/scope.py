@cute.kernel
def explicit_cta(peer):
    done = smem.alloc_mbarrier()
    cute.arch.mbarrier_arrive(done, peer, scope=cute.arch.MemScope.CTA)  # want FP301 "in another CTA has scope .cta.; expected .cluster."
    remote = mapa_shared_cluster(done, peer)
    mbarrier_arrive(remote, scope="cta")  # want FP301 "scope .cta."


@cute.kernel
def fine(peer):
    done = smem.alloc_mbarrier()
    cute.arch.mbarrier_arrive(done, peer)
    cute.arch.mbarrier_arrive(done, scope="cta")
    cute.arch.mbarrier_arrive(done, peer, scope="cluster")
