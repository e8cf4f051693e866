#!/usr/bin/env bash
# lsp_test.sh FENCEPOST: Neovim, without a screen, as a client of the language server: diagnostics, hover, a repair and a suppression applied.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=$(realpath "$1")
command -v nvim >/dev/null || { echo "lsp: Neovim is not installed: not tested"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp testdata/publish/last_relaxed.cu "$dir/last.cu"
FENCEPOST=$tool KERNEL=$dir/last.cu RULE=FP304 HOVER=${HOVER:-6} HOME=$dir XDG_STATE_HOME=$dir nvim --headless --clean -n -c "luafile ci/lsp.lua"
