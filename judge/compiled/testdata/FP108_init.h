__device__ void publish_barrier_init();
