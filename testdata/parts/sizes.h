// Sizes and types of what the kernels of its parts work on.
#define REAL double
#define THREADS 64
#define DOT(A, B) ((A).x * (B).x + (A).y * (B).y)
typedef struct { REAL x, y; } Point;
