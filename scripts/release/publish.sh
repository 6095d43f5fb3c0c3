#!/bin/sh
# Publishes dist/release and dist/clients: sh scripts/release/publish.sh TAG. Each place needs its owner's token in the
# environment and is skipped without one: GH_TOKEN (release and image), NPM_TOKEN, PYPI_TOKEN. Run again, it goes on
# where it stopped: what is published stays as it is.
set -eu

tag=$1
version=${tag#v}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

left_out() { echo "skipped: $1 (no $2)"; }

publish_release() {
  if gh release view "$tag" >/dev/null 2>&1; then
    echo "there already: release $tag"
  else
    gh release create "$tag" --title "$tag" --notes-file CHANGELOG.md dist/release/* dist/clients/*
  fi
}

publish_image() {
  repository=$(printf '%s' "$GITHUB_REPOSITORY" | tr '[:upper:]' '[:lower:]')
  printf '%s' "$GH_TOKEN" | skopeo login --username "$GITHUB_ACTOR" --password-stdin ghcr.io
  skopeo copy --all oci-archive:dist/release/waxwing-oci.tar "docker://ghcr.io/$repository:$version"
}

# publish_npm FILE NAME
publish_npm() {
  if [ -n "$(npm view "$2@$version" version 2>/dev/null)" ]; then
    echo "there already: $2 $version"
  else
    npm publish "$1" --access public
  fi
}

# npm itself reads the variable. The platforms come first: waxwing names them.
publish_all_npm() {
  # shellcheck disable=SC2016 # npm replaces it
  echo '//registry.npmjs.org/:_authToken=${NPM_TOKEN}' >"$work/npmrc"
  export NPM_CONFIG_USERCONFIG="$work/npmrc"
  for platform in linux-x64 linux-arm64 darwin-arm64; do
    publish_npm "dist/release/waxwing-$platform-$version.tgz" "waxwing-$platform"
  done
  publish_npm "dist/release/waxwing-$version.tgz" waxwing
  publish_npm "dist/clients/waxwing-client-$version.tgz" waxwing-client
}

publish_pypi() {
  python3 -m venv "$work/tools"
  "$work/tools/bin/pip" install --quiet --disable-pip-version-check twine </dev/null
  TWINE_USERNAME=__token__ TWINE_PASSWORD=$PYPI_TOKEN "$work/tools/bin/twine" upload --non-interactive --skip-existing \
    dist/clients/*.whl dist/clients/*.tar.gz
}

if [ -n "${GH_TOKEN:-}" ]; then publish_release; else left_out "the release on the forge" GH_TOKEN; fi
if [ -n "${GH_TOKEN:-}" ]; then publish_image; else left_out "the image" GH_TOKEN; fi
if [ -n "${NPM_TOKEN:-}" ]; then publish_all_npm; else left_out "the npm packages" NPM_TOKEN; fi
if [ -n "${PYPI_TOKEN:-}" ]; then publish_pypi; else left_out "the Python client" PYPI_TOKEN; fi
