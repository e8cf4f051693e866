#!/usr/bin/env bash
# release.sh FOLDER: puts the released program of the version that ACTION_REF names, a tag or the commit of one, into a folder, and
# fails where there is none or where its checksum is not that of the release.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
project=https://github.com/fencepost-dev/fencepost
releases=${FENCEPOST_RELEASES:-$project/releases/download}
ref=${ACTION_REF:-}

give_up() {
	echo "no release is used: $1; fencepost is built from source"
	exit 1
}
[ -n "$ref" ] || give_up "the Action has no ref of its own"
if [[ "$ref" =~ ^[0-9a-f]{40}$ ]]; then # pinned by commit: of the tag that this checkout would be
	tag=v$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)
	git ls-remote "$project" "refs/tags/$tag" "refs/tags/$tag^{}" 2>/dev/null | grep -q "^$ref" || give_up "commit $ref is not $tag"
else
	tag=$ref
fi
[[ "$tag" =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]] || give_up "$tag is no tag of a release"

case "$(uname -s)" in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) give_up "there is no archive for $(uname -s)" ;;
esac
case "$(uname -m)" in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) give_up "there is no archive for $(uname -m)" ;;
esac
archive=fencepost_${tag#v}_${os}_$arch.tar.gz
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
for file in "$archive" checksums.txt; do
	curl -fsSL --retry 3 --max-time 120 -o "$temp/$file" "$releases/$tag/$file" || give_up "$file of $tag cannot be fetched"
done
want=$(awk -v name="$archive" '$2 == name { print $1 }' "$temp/checksums.txt")
if command -v sha256sum >/dev/null; then got=$(sha256sum "$temp/$archive"); else got=$(shasum -a 256 "$temp/$archive"); fi
[ -n "$want" ] && [ "${got%% *}" = "$want" ] || give_up "the checksum of $archive is wrong"
mkdir -p "$folder"
tar -xzf "$temp/$archive" -C "$folder" fencepost
echo "fencepost $tag, checksum $want"
