#!/bin/sh
# Makes a release twice, in this checkout and in a clone elsewhere, and compares: sh scripts/release/make.sh TAG. The key that signs
# it is in RELEASE_KEY (Ed25519, PEM; without one a throwaway key), its address in ADDRESS.
set -eu

tag=$1
version=${tag#v}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(umask 077 && : >"$work/key.pem")
if [ -n "${RELEASE_KEY:-}" ]; then
  printf '%s\n' "$RELEASE_KEY" >"$work/key.pem"
else
  openssl genpkey -algorithm ed25519 -out "$work/key.pem"
fi
set -- --version "$version" --key "$work/key.pem"
if [ -n "${ADDRESS:-}" ]; then set -- "$@" --address "$ADDRESS"; fi
./install.sh release "$@"

echo "again, in another directory"
git clone -q . "$work/again"
cp -a .bun "$work/again/"
"$work/again/install.sh" release "$@"
cmp dist/release/SHA256SUMS "$work/again/dist/release/SHA256SUMS"
echo "both runs made the same files"
