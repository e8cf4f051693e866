#!/usr/bin/env bash
# pre-commit.sh: prints the path of a pre-commit of exactly the version below, in .tools/, installing it when missing.
set -euo pipefail
cd "$(dirname "$0")/.."
version=4.0.1
venv="$PWD/.tools/pre-commit-$version"
if [ ! -x "$venv/bin/pre-commit" ]; then
	ci/need.sh python3
	# Debian ships python3 without ensurepip until python3-venv is there.
	python3 -c 'import ensurepip' 2>/dev/null || {
		root=()
		[ "$(id -u)" -eq 0 ] || root=(sudo)
		"${root[@]}" apt-get update -qq
		"${root[@]}" apt-get install -y -qq --no-install-recommends python3-venv >&2
	}
	rm -rf "$venv"
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet --disable-pip-version-check "pre-commit==$version" >&2
fi
echo "$venv/bin/pre-commit"
