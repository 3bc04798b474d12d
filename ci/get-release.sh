#!/usr/bin/env bash
# Puts the program of a release on the PATH of a job. It is downloaded and compared with the checksums of the release;
# nothing is compiled.
#
# SWITCHYARD_VERSION   the release, such as 0.1.0
# SWITCHYARD_RELEASES  where releases are: https://HOST/OWNER/switchyard/releases/download
# SWITCHYARD_FOLDER    where the program is put; a folder of its own if nothing is said
set -euo pipefail

version=${SWITCHYARD_VERSION:?names a release}
version=${version#v}
releases=${SWITCHYARD_RELEASES:?says where releases are}
folder=${SWITCHYARD_FOLDER:-$(mktemp -d)}

if found=$(switchyard --version 2>/dev/null) && [[ $found == "switchyard $version" ]]; then
  echo "switchyard $version is on the PATH already"
  exit 0
fi

case $(uname -s)-$(uname -m) in
  Linux-x86_64) target=x86_64-unknown-linux-musl ;;
  Linux-aarch64) target=aarch64-unknown-linux-musl ;;
  *)
    echo "releases have no program for $(uname -s) on $(uname -m); put a switchyard of your own on the PATH" >&2
    exit 2
    ;;
esac

name=switchyard-$version-$target.tar.gz
mkdir -p "$folder"
cd "$folder"
for file in "$name" SHA256SUMS; do
  curl --fail --silent --show-error --location --retry 3 --output "$file" "$releases/v$version/$file"
done
# Only the line of this file; without one, it is not of the release.
grep -F "  $name" SHA256SUMS | sha256sum --check --strict -
tar -xzf "$name"
rm "$name" SHA256SUMS
./switchyard --version
if [[ -n ${GITHUB_PATH:-} ]]; then pwd >>"$GITHUB_PATH"; fi
