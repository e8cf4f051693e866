// Package exec turns a kernel of the IR into a program for the order engine: it executes one CTA, or one cluster, warp by
// warp, and keeps of it what synchronizes and what accesses shared memory.
//
// Integers, predicates, addresses and special registers are exact; floating-point numbers and what global memory holds are
// don't-cares, of which is known at most that two are surely the same. Shared memory is followed where what it holds decides
// control. A branch that depends on a don't-care is passed if none of its ways synchronizes; else the execution stops there.
//
// Registers hold affine values: lane l of a warp has base+l*stride. That is what makes a kernel of millions of commands fast:
// an instruction costs the same for 32 lanes as for one, as long as their values are affine.
package exec
