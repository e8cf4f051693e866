__device__ void write_rows(float* out, const float* in, int* rows, int t);
