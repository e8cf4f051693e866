// Command public measures what `fencepost barriers FILE.ptx` decides of kernels of public trees, compiled by nvcc, with nobody supplying a
// parameter or the shape of a launch:
//
//	TREES=FOLDER go run ./bench/public docs/bench-public.md
//
// The kernels are those of kernels.txt. They were drawn once, before the first of them was checked, with
//
//	go run ./bench/public -choose
//
// by this rule. Of each tree of trees.txt, at the commit that stands there, the .cu files that have `__global__` or `<<<` are put into the
// order of the SHA-256 of seed, tree and path, and compiled one by one. Of a file that compiles, up to three kernels that have shared memory, a
// barrier or a shuffle in their PTX are taken, one instantiation of each function, in the order of the SHA-256 of seed, tree and name; until
// there are ten of the tree, or forty files were tried. Where there are fewer, the files that compile give more than three. A file that does not compile is listed with the
// compiler's first error.
//
// The ten of FasterTransformer were drawn in the same way, but a file of theirs takes minutes to compile: they came to the list when the others had been
// checked once.
//
// What is violated was read against the source: judged.txt says what came of it.
//
// Nothing of the trees is in this repository: TREES (or -trees) is a folder of clones, OWNER+NAME/repo each. What they include that is not
// there (cuBLAS, PyTorch) is stubs/, written here: declarations that let the host's side pass the compiler.
package main
