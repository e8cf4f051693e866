#!/usr/bin/env bash
# Runs the steps of action.yml on throwaway repositories with the environment a GitHub runner gives, and checks the
# annotations, the step summary, the outputs and the exit code.
set -euo pipefail
cd "$(dirname "$0")/.."
repo=$PWD
python=$(dirname "$(ci/pre-commit.sh)")/python
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
broken=$repo/testdata/smoother/broken_hardcoded_phase.py
right=$repo/testdata/ring/right.py
gocache=$(go env GOCACHE) # not where the cache of verdicts is looked for

export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.com GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.com
export RUNNER_OS=Linux GITHUB_ACTIONS=true CI=true

fail() {
	echo "action_test: $case: $1" >&2
	sed 's/^/  | /' "$temp/$case.log" >&2
	exit 1
}

# pull_request NAME: a workspace with the merge of a head into a base; the caller's functions make both commits.
pull_request() {
	case=$1
	workspace=$temp/$case
	git init -q -b main "$workspace"
	cd "$workspace"
	base_commit
	git add -A && git commit -q -m base
	base=$(git rev-parse HEAD)
	git checkout -q -b head
	head_commit
	git add -A && git commit -q -m head
	head=$(git rev-parse HEAD)
	git checkout -q --detach main
	git merge -q --no-ff -m merge head
	printf '{"pull_request":{"number":1,"base":{"sha":"%s"},"head":{"sha":"%s"}}}' "$base" "$head" >"$temp/$case.event"
	cd "$repo"
}

# run_action INPUTS: runs the steps in $workspace.
run_action() {
	local code=0
	: >"$temp/$case.summary"
	: >"$temp/$case.output"
	mkdir -p "$temp/$case.tmp"
	GITHUB_EVENT_NAME=pull_request GITHUB_REF=refs/pull/1/merge GITHUB_EVENT_PATH="$temp/$case.event" \
		GITHUB_WORKSPACE=$workspace GITHUB_STEP_SUMMARY="$temp/$case.summary" GITHUB_OUTPUT="$temp/$case.output" \
		RUNNER_TEMP="$temp/$case.tmp" XDG_CACHE_HOME="$temp/$case.cache" GOCACHE="$gocache" "$python" ci/action.py action.yml "$1" >"$temp/$case.log" 2>&1 || code=$?
	exit_code=$code
	[ ! -e "$temp/$case.cache/fencepost" ] || fail "the Action keeps verdicts from run to run"
}

want() { grep -qE -- "$2" "$temp/$case.$1" || fail "no line matches $2 in the $1"; }
want_not() { if grep -qE -- "$2" "$temp/$case.$1"; then fail "a line matches $2 in the $1"; fi; }
want_exit() { [ "$exit_code" -eq "$1" ] || fail "exit code $exit_code, want $1"; }

# A kernel broken in the pull request fails it, at the line, with the verdict.
base_commit() { cp "$right" gemm.py; }
head_commit() { cp "$broken" gemm.py; }
pull_request broken
run_action '{"sarif-file": "out.sarif"}'
want_exit 1
want log '^::error .*file=gemm\.py'
want log '^::error .*line=[0-9]+'
want log 'FP101'
want summary 'FP101'
want summary 'violated'
want output '^findings=[1-9][0-9]*$'
want output '^verdicts=.*violated=1'
want output '^sarif-file=out\.sarif$'
grep -q '"codeFlows"' "$workspace/out.sarif" || fail "the SARIF file has no code flow"

# What the pull request did not touch is not reported.
base_commit() { cp "$broken" old.py; }
head_commit() { cp "$right" gemm.py; }
pull_request untouched
run_action '{}'
want_exit 0
want_not log '^::error'
want output '^findings=0$'
want_not output '^sarif-file='

# The whole tree, with fail-on never.
run_action '{"diff-base": "none", "fail-on": "never", "engine": "explore"}'
want_exit 0
want log '^::error .*file=old\.py'
want output '^findings=[1-9]'

# A pull request cannot excuse its own bug: the configuration of its base counts, and the reviewer is told.
base_commit() { cp "$right" gemm.py; }
head_commit() { cp "$broken" gemm.py; printf 'exclude: ["**"]\nfail-on: never\n' >.fencepost.yaml; }
pull_request excuse
run_action '{}'
want_exit 1
want log '^::error .*file=gemm\.py'
want summary 'configuration is changed here'
run_action '{"diff-base": "none"}'
want_exit 1

# A wrong input is a usage error, and no input reaches a shell.
run_action '{"engine": "$(touch injected)"}'
want_exit 2
run_action '{"args": "--no-such-flag\n`touch injected`", "diff-base": "; touch injected"}'
want_exit 2
[ ! -e "$workspace/injected" ] || fail "an input was executed"

# The release of the Action's own tag is used where its checksum is right, and nothing is built; else it is built.
release=$temp/releases/v9.9.9
mkdir -p "$release" "$temp/program"
printf '#!/bin/sh\necho "the release ran"\n' >"$temp/program/fencepost"
chmod 755 "$temp/program/fencepost"
archive=fencepost_9.9.9_linux_$(case "$(uname -m)" in aarch64 | arm64) echo arm64 ;; *) echo amd64 ;; esac).tar.gz
tar -C "$temp/program" -czf "$release/$archive" fencepost
(cd "$release" && sha256sum "$archive" >checksums.txt)
export FENCEPOST_RELEASES=file://$temp/releases TEST_ACTION_REF=v9.9.9
case=release
cp "$temp/excuse.event" "$temp/release.event"
run_action '{"spin": "false"}'
want_exit 0
want log 'the release ran'
rm -r "$temp/release.tmp"
echo "0000000000000000000000000000000000000000000000000000000000000000  $archive" >"$release/checksums.txt"
run_action '{"spin": "false", "diff-base": "none"}'
want log 'checksum'
want_not log 'the release ran'
want_exit 1
unset FENCEPOST_RELEASES TEST_ACTION_REF

# A clone without the base says what to do.
git clone -q --depth 1 "file://$workspace" "$temp/shallow" 2>/dev/null
cp "$temp/$case.event" "$temp/shallow.event"
case=shallow workspace=$temp/shallow
run_action '{}'
want_exit 2
want log 'fetch-depth'

# File names and source text cannot issue workflow commands.
base_commit() { echo 'x = 1' >readme.py; }
head_commit() {
	sed '1s/.*/"""\n::set-output name=findings::99\n##[set-env name=PATH]x\n  ::stop-commands::x\n"""/' "$broken" >'a::error::b.py'
	cp "$broken" $'new\n::add-mask::line.py'
}
pull_request hostile
run_action '{"diff-base": "none"}'
want_exit 1
want_not log '^[[:blank:]]*::(set-output|set-env|stop-commands|add-mask|add-path)'
want_not log '##\[(set-env|add)'
[ "$(grep -c '^findings=' "$temp/$case.output")" -eq 1 ] || fail "the output file has other than one line of findings"
want_not output 'findings=99'

echo "action_test: passed"
