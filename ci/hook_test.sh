#!/usr/bin/env bash
# Runs the hooks with the real pre-commit on a throwaway git repository: a broken kernel fails with its finding, a right
# one passes. The hook in Python installs the wheel, made here, and needs neither Go nor a C compiler; the hook in Go is built from
# a clone of this repository, as on a user's machine (building needs cgo).
set -euo pipefail
cd "$(dirname "$0")/.."
repo=$PWD
pre_commit=$(ci/pre-commit.sh)
temp=$(mktemp -d)
trap 'chmod -R u+w "$temp"; rm -rf "$temp"' EXIT

# The wheel of the version that pyproject.toml asks for, as the release makes it, but for the C library it is built against.
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)
CGO_ENABLED=1 go build -trimpath -ldflags "-s -w -X github.com/fencepost-dev/fencepost/cli.released=v$version" -o "$temp/fencepost" ./cmd/fencepost
python3 packaging/wheel.py --binary "$temp/fencepost" --version "$version" --platform "linux_$(uname -m)" --out "$temp/wheels" >/dev/null

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

# try HOOK NAME FILE...: runs a hook on files; its output is in $temp/NAME.log.
try() {
	local hook=$1 name=$2
	shift 2
	"$pre_commit" try-repo "$repo" "$hook" --verbose --color never --files "$@" >"$temp/$name.log" 2>&1
}
fail() {
	echo "hook_test: $2" >&2
	sed 's/^/  | /' "$temp/$1.log" >&2
	exit 1
}

for hook in fencepost fencepost-go; do
	export PIP_NO_INDEX=1 PIP_FIND_LINKS=$temp/wheels
	if try $hook broken broken.py right.py; then fail broken "$hook passes on a broken kernel"; fi
	grep -q 'FP101' "$temp/broken.log" || fail broken "$hook does not show the finding"
	grep -q 'broken\.py' "$temp/broken.log" || fail broken "$hook does not name the file"
	try $hook right right.py other.py || fail right "$hook fails on a right kernel"
done

# The wheel in a fresh environment: the program, of that version, with nothing beside it.
"$(dirname "$pre_commit")/python" -m venv "$temp/venv"
"$temp/venv/bin/pip" install --quiet --disable-pip-version-check fencepost
env -i "$temp/venv/bin/fencepost" --version >"$temp/venv.log"
grep -qx "fencepost v$version" "$temp/venv.log" || fail venv "the program of the wheel is another"
if env -i HOME="$temp" "$temp/venv/bin/fencepost" check --engine explore broken.py >"$temp/venv.log"; then fail venv "the program of the wheel finds nothing"; fi
grep -q 'FP101' "$temp/venv.log" || fail venv "the program of the wheel does not show the finding"
echo "hook_test: passed"
