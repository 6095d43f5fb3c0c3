#!/bin/sh
# Starts `waxwing dev` in the background and writes what it prints to $GITHUB_OUTPUT: base_url, api_key, number,
# webhook_secret, control_url, control_token and pid. The runner ends the process with the job. Its own settings have no
# WAXWING_ before them: the program would read them as its configuration.
set -eu

program=${EXECUTABLE:-waxwing}
directory=$(mktemp -d)
# shellcheck disable=SC2086 # The options are words.
"$program" dev --json --listen 127.0.0.1:0 ${DEV_OPTIONS:-} >"$directory/ready" 2>"$directory/log" </dev/null &
pid=$!

tries=0
while ! grep -q '"base_url"' "$directory/ready"; do
  if ! kill -0 "$pid" 2>/dev/null || [ "$tries" -ge 600 ]; then
    echo "waxwing dev did not start:" >&2
    cat "$directory/log" "$directory/ready" >&2
    exit 1
  fi
  tries=$((tries + 1))
  sleep 0.1
done

member() {
  sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$directory/ready"
}
{
  echo "pid=$pid"
  for name in base_url api_key number webhook_secret control_url control_token; do
    echo "$name=$(member "$name")"
  done
} >>"$GITHUB_OUTPUT"
echo "waxwing dev is ready: $(member base_url)"
