inline __device__ void add(float* value, const float* other) { *value += *other; }
