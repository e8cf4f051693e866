#!/usr/bin/env bash
# extras.sh FOLDER: writes completions and the manual page, made from what the commands define.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
tool=$1/.fencepost
trap 'rm -f "$tool"' EXIT
CGO_ENABLED=1 GOOS='' GOARCH='' go build -trimpath -o "$tool" ./cmd/fencepost
"$tool" man >"$1/fencepost.1"
"$tool" completion bash >"$1/fencepost.bash"
"$tool" completion zsh >"$1/_fencepost"
"$tool" completion fish >"$1/fencepost.fish"
