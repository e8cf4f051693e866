// Package compiled judges what the front end makes of a kernel's source by what a compiler makes of it.
//
// A kernel is translated twice: its source by frontend/cuda, and by frontend/ptx the PTX that NVIDIA's compiler makes of the same file. Both are executed by
// ir/exec for the same launch and the same parameters. The two share no code between the text and the IR: neither the C++ front end, nor macros,
// templates, overloads and lambdas, nor the models of libraries. Where both agree, a fault would have to be in both, or in what executes them, which
// judge/threads and judge/reference judge.
//
// Compared is, for each thread, the executed sequence of operations: barriers with their ids and counts, warp barriers and collectives with their lanes,
// mbarriers with counts, bytes and parities, clusters, asynchronous copies with what they signal. Which mbarrier of one side is which of the other is found
// out on the way: it has to be one to one. Between two operations that order memory, bytes of shared and tensor memory that the compiled kernel accesses are
// to be among those that the source is said to access: a compiler leaves accesses out and adds none. Writes that it leaves out are explained where nobody
// reads the bytes, or data say whether the source writes them. Copies in flight at an operation are to be the same.
//
// The answers are compared, too: what check/barriers says of the source is not the opposite of what it says of the compiled kernel, and check does not say
// that a kernel holds which is violated as it is compiled.
package compiled
