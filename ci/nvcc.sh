#!/usr/bin/env bash
# nvcc.sh: prints the path of NVIDIA's compiler in exactly the versions below, in .tools/, installing it when missing. It is for tests only,
# needs neither a GPU nor a driver, and nothing that is built or released contains it.
set -euo pipefail
cd "$(dirname "$0")/.."
version=13.0.88
root="$PWD/.tools/nvcc-$version"
if [ ! -x "$root/nvidia/cu13/bin/nvcc" ]; then
	ci/need.sh g++
	pip="$(dirname "$(ci/pre-commit.sh)")/pip"
	rm -rf "$root" "$root.part"
	"$pip" install --quiet --disable-pip-version-check --no-deps --target "$root.part" \
		"nvidia-cuda-nvcc==$version" "nvidia-nvvm==$version" "nvidia-cuda-crt==$version" \
		nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 >&2
	mv "$root.part" "$root" # all of it or nothing
fi
echo "$root/nvidia/cu13/bin/nvcc"
