#!/bin/sh
# Prints events as they happen, each once, and continues where it stopped: sh receive.sh [CURSOR_FILE]
# curl cannot be called, so this reads the event log. A program that is called checks the signature: see verify.sh.
set -eu
cursor_file=${1:-cursor}

while :; do
  after=$(cat "$cursor_file" 2>/dev/null || echo latest)
  page=$(curl --silent --show-error --fail-with-body --max-time 60 --retry 5 --retry-all-errors --get "$WAXWING_URL/events" \
    -H "Authorization: Bearer $WAXWING_KEY" --data-urlencode "after=$after" -d wait=${WAIT:-30})
  case $page in '{"data":[]'*) ;; *) printf '%s\n' "$page" ;; esac
  # The cursor is the last member of `meta`. It is written after the events are dealt with.
  printf '%s' "$page" | sed 's/.*"next":"\([^"]*\)".*/\1/' >"$cursor_file.new"
  mv "$cursor_file.new" "$cursor_file"
  if [ -n "${ONCE:-}" ]; then exit; fi
done
