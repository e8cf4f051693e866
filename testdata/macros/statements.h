#pragma once
#define MEET_ALL __syncthreads();
#define FIRST_ONLY if (threadIdx.x == 0)
