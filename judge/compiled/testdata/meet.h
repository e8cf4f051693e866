__device__ void meet_all();
