#!/usr/bin/env bash
# Compiles the kernels of this folder to PTX: the files that the tests read.
set -euo pipefail
cd "$(dirname "$0")"
for f in *.cu; do
	clang -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -O2 -gline-tables-only \
		-fdebug-prefix-map="$PWD"=. -S -o "${f%.cu}.ptx" "$f"
done
