#!/usr/bin/env bash
# build.sh OUT [VERSION]: builds fencepost for GOOS and GOARCH (default: this machine). The parsers are C: for Linux and Windows it is
# compiled by `zig cc` (the Python package ziglang, or zig on the PATH), against musl and static, so that one program runs
# everywhere; for macOS by its own clang, on macOS.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$1 version=${2:-}
GOOS=${GOOS:-$(go env GOOS)}
GOARCH=${GOARCH:-$(go env GOARCH)}
export GOOS GOARCH CGO_ENABLED=1 GOFLAGS=-mod=readonly
flags="-s -w"
[ -z "$version" ] || flags+=" -X github.com/fencepost-dev/fencepost/cli.released=$version"
case "$GOOS/$GOARCH" in
linux/amd64) target=x86_64-linux-musl ;;
linux/arm64) target=aarch64-linux-musl ;;
windows/amd64) target=x86_64-windows-gnu ;;
windows/arm64) target=aarch64-windows-gnu ;;
darwin/amd64) target="" CC="clang -arch x86_64" ;;
darwin/arm64) target="" CC="clang -arch arm64" ;;
*)
	echo "build.sh: no build for $GOOS/$GOARCH" >&2
	exit 1
	;;
esac
if [ -n "$target" ]; then
	zig=${ZIG:-$(command -v zig || true)}
	if [ -z "$zig" ]; then
		ci/need.sh python3
		venv=$PWD/.tools/zig-0.13.0
		[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
		"$venv/bin/python" -c 'import ziglang' 2>/dev/null || "$venv/bin/pip" install --quiet --disable-pip-version-check ziglang==0.13.0 >&2
		zig="$venv/bin/python -m ziglang"
	fi
	CC="$zig cc -target $target"
	[ "$GOOS" != linux ] || flags+=" -linkmode external -extldflags -static"
fi
export CC
exec go build -trimpath -ldflags "$flags" -o "$out" ./cmd/fencepost
