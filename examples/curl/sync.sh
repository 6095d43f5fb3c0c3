#!/bin/sh
# Keeps contacts in step: sends the customers of a CSV file, and fetches what changed since the last run, a page in each
# line of contacts.jsonl: sh sync.sh customers.csv contacts.jsonl
set -eu
customers=${1:-customers.csv} file=${2:-contacts.jsonl}

call() {
  curl --silent --show-error --fail-with-body --max-time 60 --retry 5 --retry-all-errors \
    -H "Authorization: Bearer $WAXWING_KEY" "$@"
}

# Asked first, so that a change during this run is fetched by the next one.
started_at=$(date -u -d '1 minute ago' +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || date -u -v-1M +%Y-%m-%dT%H:%M:%SZ)

tail -n +2 "$customers" | while IFS=, read -r phone name city; do
  # Without the plus sign, nothing in the address has to be encoded.
  call -X PUT "$WAXWING_URL/contacts/${phone#+}" -H "Content-Type: application/json" \
    -d "{\"name\": \"$name\", \"city\": \"$city\"}" >/dev/null
done

since=$(cat "$file.since" 2>/dev/null || echo 2000-01-01T00:00:00Z)
after=
while :; do
  page=$(call --get "$WAXWING_URL/contacts" -d per_page=500 --data-urlencode "updated_since=$since" \
    ${after:+--data-urlencode "after=$after"})
  printf '%s\n' "$page" >>"$file"
  after=$(printf '%s' "$page" | sed -n 's/.*"next":"\([^"]*\)".*/\1/p')
  if [ -z "$after" ]; then break; fi
done
printf '%s' "$started_at" >"$file.since"
echo "contacts are in $file"
