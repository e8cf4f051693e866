#!/usr/bin/env bash
# need.sh TOOL...: installs the named tools with apt-get when they are missing.
set -euo pipefail

# The Debian packages that give a tool. gcc without libc6-dev cannot compile a program.
packages() {
	case "$1" in
	cc) echo gcc libc6-dev ;;
	python3) echo python3 python3-venv ;;
	nvim) echo neovim ;;
	*) echo "$1" ;;
	esac
}

# A browser is any Chromium: Ubuntu has no package of the name, and its runners bring one.
present() {
	case "$1" in
	chromium) command -v chromium chromium-browser google-chrome ;;
	*) command -v "$1" ;;
	esac >/dev/null
}

missing=()
for tool in "$@"; do
	present "$tool" && continue
	read -ra names <<<"$(packages "$tool")"
	missing+=("${names[@]}")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
	echo "need.sh: missing: $*; there is no apt-get here, install them another way" >&2
	exit 1
fi
root=()
[ "$(id -u)" -eq 0 ] || root=(sudo)
export DEBIAN_FRONTEND=noninteractive
"${root[@]}" apt-get update -qq
"${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
