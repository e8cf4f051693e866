#!/usr/bin/env bash
# Runs the hook with the real pre-commit on a throwaway git repository: a broken kernel fails with its finding, a right
# one passes. The hook is built from a clone of this repository, as on a user's machine (building needs cgo).
set -euo pipefail
cd "$(dirname "$0")/.."
repo=$PWD
pre_commit=$(ci/pre-commit.sh)
temp=$(mktemp -d)
trap 'chmod -R u+w "$temp"; rm -rf "$temp"' EXIT

export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.com GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.com
# pre-commit gives the build a GOPATH of its own; modules and objects that are already here need not be made again.
GOMODCACHE=$(go env GOMODCACHE)
GOCACHE=$(go env GOCACHE)
export GOMODCACHE GOCACHE GOFLAGS=-trimpath CGO_ENABLED=1 PRE_COMMIT_HOME=$temp/home

git init -q "$temp/user"
cd "$temp/user"
cp "$repo/testdata/smoother/broken_hardcoded_phase.py" broken.py
cp "$repo/testdata/ring/right.py" right.py
printf 'print("no kernel")\n' >other.py
git add -A

# try NAME FILE...: runs the hook on files; its output is in $temp/NAME.log.
try() {
	local name=$1
	shift
	"$pre_commit" try-repo "$repo" fencepost --verbose --color never --files "$@" >"$temp/$name.log" 2>&1
}
fail() {
	echo "hook_test: $2" >&2
	sed 's/^/  | /' "$temp/$1.log" >&2
	exit 1
}

if try broken broken.py right.py; then fail broken "the hook passes on a broken kernel"; fi
grep -q 'FP101' "$temp/broken.log" || fail broken "the hook does not show the finding"
grep -q 'broken\.py' "$temp/broken.log" || fail broken "the hook does not name the file"
try right right.py other.py || fail right "the hook fails on a right kernel"
echo "hook_test: passed"
