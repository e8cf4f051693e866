#include "sizes.h"
#include "kernel.cu"

void run(const Point* in, REAL* out, int blocks) { dots<<<blocks, THREADS>>>(in, out); }
