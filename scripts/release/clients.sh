#!/bin/sh
# Makes the packages of the clients in dist/clients, for npm and for PyPI. Needs npm, and python3 with venv; both fetch
# their tools from the registries.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
packages="$root/dist/clients"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rm -rf "$packages"
mkdir -p "$packages"
# Copies: nothing that a tool leaves behind lies in the checkout.
cp -R "$root/clients/typescript" "$root/clients/python" "$work/"

cd "$work/typescript"
npm install --silent --no-audit --no-fund --ignore-scripts </dev/null
npm pack --silent --pack-destination "$packages" </dev/null

python3 -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet --disable-pip-version-check build </dev/null
"$work/tools/bin/python" -m build --outdir "$packages" "$work/python" >"$work/log" 2>&1 </dev/null || {
  cat "$work/log" >&2
  exit 1
}
ls "$packages"
