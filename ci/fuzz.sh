#!/usr/bin/env bash
# fuzz.sh TIME: runs every fuzz target of the module for TIME, one after the other.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-60s}
export CGO_ENABLED=1
for package in $(go list ./...); do
	targets=$(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true)
	for target in $targets; do
		echo "== $package $target"
		go test -run "^\$" -fuzzminimizetime 10x -fuzz "^$target\$" -fuzztime "$time" "$package"
	done
done
