#!/usr/bin/env bash
# demo.sh FENCEPOST KERNEL: shows the finding on a broken kernel, and fails when it is not found.
set -uo pipefail
tool=$1 kernel=$2
echo "\$ fencepost check --engine explore $kernel"
out=$("$tool" check --no-config --engine explore "$kernel")
code=$?
printf '%s\n' "$out"
if [ $code -ne 1 ] || ! grep -q 'FP101' <<<"$out"; then
	echo "demo: expected exit 1 and a finding of FP101 in $kernel, got exit $code" >&2
	exit 1
fi
