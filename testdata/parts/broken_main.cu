#include "sizes.h"
#include "broken_kernel.cu"

void run(const Point* in, REAL* out, int blocks) { dots<<<blocks, THREADS>>>(in, out); }
