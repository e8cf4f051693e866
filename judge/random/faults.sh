#!/usr/bin/env bash
# Puts each fault of faults/ into a copy of the repository, compares random kernels until one disagrees that does not
# without the fault, and says after how many kernels each was found: faults.sh [KERNELS [FAULT...]]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
kernels=${1:-10000}
shift || true
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$top" && git ls-files -z | xargs -0 tar cf -) | (mkdir "$work/copy" && cd "$work/copy" && tar xf -)
cd "$work/copy"
export GOGC=400 FENCEPOST_SHRINK=0
chunk=250 # kernels of one language, before the other has its turn

build() { go test -trimpath -c -o "$1" ./judge/random; }
disagreement() { # BINARY LANGUAGE FIRST COUNT: the first seed that disagrees, if one does
	(cd judge/random && FENCEPOST_ONCE=1 FENCEPOST_SEED=$3 FENCEPOST_KERNELS=$4 "$1" -test.run "TestKernels/$2" -test.timeout 10h) >"$work/out" 2>&1
	grep -q '^panic' "$work/out" && echo "panic $3" && return
	sed -nE 's/.*(wrong holds|false error), (CUDA|CuTe DSL) ([0-9]+),.*/\1 \3/p' "$work/out" | sort -n -k3 | head -1
}

# search BINARY LANGUAGE FIRST COUNT: as disagreement, of those that the right one does not have
search() {
	local first=$3 end=$(($3 + $4)) one seed
	while [ "$first" -lt "$end" ]; do
		one=$(disagreement "$1" "$2" "$first" $((end - first)))
		[ -n "$one" ] || return
		seed=${one##* }
		[[ $one != panic* ]] && [ -n "$(disagreement "$work/right" "$2" "$seed" 1)" ] || { echo "$one" && return; }
		first=$((seed + 1))
	done
}

build "$work/right" || exit 1
found=0 all=0
for patch in "$here"/faults/*.patch; do
	name=$(basename "$patch" .patch)
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	all=$((all + 1))
	if ! patch -s -p1 <"$patch" || ! build "$work/faulty"; then
		echo "$name: does not apply"
		continue
	fi
	answer="not found in $kernels kernels of each language"
	for ((first = 0; first < kernels; first += chunk)); do
		for language in CUDA CuTe; do
			one=$(search "$work/faulty" "$language" "$first" $((kernels - first < chunk ? kernels - first : chunk)))
			if [ -n "$one" ]; then
				answer="found by $language ${one##* }: ${one% *}" found=$((found + 1))
				break 2
			fi
		done
	done
	echo "$name: $answer"
	patch -s -R -p1 <"$patch"
done
echo "$found of $all found"
