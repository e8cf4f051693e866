#!/usr/bin/env bash
# prebuilt.sh build … -o OUT …: what goreleaser calls in the place of go. It puts the program that an earlier job built for GOOS and
# GOARCH, prebuilt/GOOS-GOARCH/fencepost, where goreleaser wants it; with BUILD_HERE set it builds it. Everything else is go's.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "${1:-}" = build ] || exec go "$@"
out=""
while [ $# -gt 0 ]; do
	case "$1" in
	-o) out=$2 && shift ;;
	-o=*) out=${1#-o=} ;;
	esac
	shift
done
from=prebuilt/$GOOS-$GOARCH/fencepost
if [ -n "${BUILD_HERE:-}" ]; then exec ci/build.sh "$out" "${VERSION:-}"; fi
mkdir -p "$(dirname "$out")"
cp "$from" "$out"
chmod 755 "$out"
