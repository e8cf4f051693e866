#!/usr/bin/env bash
# readme.sh check|write FENCEPOST: compares the terminal excerpt of README.md with what the tool prints, or renews it.
# Times differ from run to run, numbers of states from engine to engine: both are left out of the comparison.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=$1 tool=$2
begin='<!-- excerpt: make readme -->' end='<!-- end of excerpt -->'
kernel=testdata/smoother/broken_hardcoded_phase.py

code=0
output=$("$tool" check --no-config --engine explore --color never "$kernel") || code=$?
[ "$code" -eq 1 ] || { echo "readme: $kernel: exit code $code, want 1" >&2; exit 1; }
excerpt=$(printf '```text\n$ fencepost check --engine explore %s\n%s\n```' "$kernel" "$output")
present=$(sed -n "/^$begin\$/,/^$end\$/p" README.md | sed '1d;$d')

untimed() { sed -E 's/[0-9]+(\.[0-9]+)? ?(µs|ms|s)\b/TIME/g; s/[0-9,]+ states/STATES/g'; }

case $mode in
check)
	if ! diff -u --label README.md --label "$tool" <(untimed <<<"$present") <(untimed <<<"$excerpt"); then
		echo "readme: the excerpt is not what the tool prints; run \`make readme\`" >&2
		exit 1
	fi
	;;
write)
	{
		sed "/^$begin\$/q" README.md
		printf '%s\n' "$excerpt"
		sed -n "/^$end\$/,\$p" README.md
	} >README.md.new
	mv README.md.new README.md
	;;
*)
	echo "usage: readme.sh check|write FENCEPOST" >&2
	exit 2
	;;
esac
