# Helper package that attention and GEMM kernels import their copy and layout helpers from (notes/cutedsl.md 1.6). A
# tree that has the package itself is read instead.
