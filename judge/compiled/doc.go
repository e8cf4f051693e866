// Package compiled judges what the front end makes of a kernel's source by what a compiler makes of it.
//
// A kernel is read twice. One reading is from its source (package lower, and the IR that frontend/cuda makes of it): the groups of its threads
// with their synchronization operations and accesses. The other is from PTX that NVIDIA's compiler has made of the same file, executed
// for the same launch and the same parameters (packages frontend/ptx and ir/exec). The two share no code between the text and what is
// compared here: neither the C++ front end, nor macros, templates, overloads, arithmetic and lambdas, nor the evaluation of
// branches and loops. Where both agree, a fault would have to be in both. This package knows neither of them; its tests
// bring them together, and whoever can say what Groups asks for can be compared.
//
// Compared is, for each thread, the executed sequence of operations: barriers with their ids and counts, mbarriers with
// counts, bytes and parities, clusters, warp barriers and collectives, asynchronous copies with what they signal. Which
// mbarrier of one reading is which of the other is found out on the way: it has to be one to one. Between two operations,
// bytes of shared memory that the compiled kernel accesses are to be among those that the source is said to access: a
// compiler leaves accesses out and adds none. Writes that it leaves out are explained where nobody reads the bytes, or the
// source was said to write no more than some of them. Copies in flight at an operation are to be the same.
//
// Of the IR the answers are compared, too: what check/barriers says of the source is not the opposite of what it says of the compiled kernel,
// launched in the same way.
package compiled
