#!/usr/bin/env bash
# Compiles the kernels of this folder to PTX: the files that the tests read. Those of the tensor core are for nvcc (ci/nvcc.sh), the others for
# clang without the toolkit.
set -euo pipefail
cd "$(dirname "$0")"
nvcc=${NVCC:-../../../.tools/nvcc-13.0.88/nvidia/cu13/bin/nvcc}
for f in *.cu; do
	if grep -q '"blackwell.h"' "$f"; then
		"$nvcc" -arch=sm_100a -ptx -lineinfo -std=c++17 -o "${f%.cu}.ptx" "$f"
		sed -i -e "s|\"$PWD/|\"./|" -e 's|"/.*/include/|"|' "${f%.cu}.ptx"
	else
		clang -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -O2 -gline-tables-only \
			-fdebug-prefix-map="$PWD"=. -S -o "${f%.cu}.ptx" "$f"
	fi
done
