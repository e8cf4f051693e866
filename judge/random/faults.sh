#!/usr/bin/env bash
# Puts each fault of faults/ into a copy of the repository, compares random kernels until one disagrees that does not
# without the fault, and says which faults were found: faults.sh [KERNELS [FAULT...]]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
kernels=${1:-2000}
shift || true
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$top" "$work/copy"
cd "$work/copy"
export FENCEPOST_KERNELS=$kernels FENCEPOST_SHRINK=0

run() { # BINARY LANGUAGE OUTPUT
	(cd judge/random && "$1" -test.run "TestKernels/$2" -test.timeout 10h >"$3" 2>&1)
}
go test -c -o "$work/right" ./judge/random || exit 1
for language in CUDA CuTe; do run "$work/right" "$language" "$work/$language"; done
sed -nE 's/.*(wrong holds|false error), ((CUDA|CuTe DSL) [0-9]+),.*/\2/p' "$work"/CUDA "$work"/CuTe >"$work/known"
echo "without a fault: $(wc -l <"$work/known") disagreements"

export FENCEPOST_KNOWN=$work/known FENCEPOST_ONCE=1
found=0 all=0
for patch in "$here"/faults/*.patch; do
	name=$(basename "$patch" .patch)
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	all=$((all + 1))
	if ! patch -s -p1 <"$patch" || ! go test -c -o "$work/faulty" ./judge/random; then
		echo "$name: does not apply"
	else
		answer="not found"
		for language in CUDA CuTe; do
			run "$work/faulty" "$language" "$work/out"
			if line=$(grep -m1 -oE "(wrong holds|false error), (CUDA|CuTe DSL) [0-9]+" "$work/out"); then
				answer="found: $line" found=$((found + 1))
				break
			elif grep -q '^panic' "$work/out"; then
				answer="found: the evaluator panics" found=$((found + 1))
				break
			fi
		done
		echo "$name: $answer"
	fi
	(cd "$top" && git ls-files -z lower dialect program | xargs -0 tar cf -) | tar xf - # as it was
done
echo "$found of $all found"
