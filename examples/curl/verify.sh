#!/bin/sh
# Whether a webhook comes from the server: sh verify.sh "$SERVICE_SIGNATURE" body.json
# body.json holds the raw bytes of the request. Exits 0 if it does.
set -eu
header=$1 body=$2

case $header in t=*,v1=*) ;; *) echo "the signature is missing or malformed" >&2; exit 1 ;; esac
time=${header#t=} time=${time%%,*} given=${header#*,}
case $time in '' | *[!0-9]*) echo "the signature is malformed" >&2; exit 1 ;; esac
if [ $(($(date +%s) - time)) -gt 300 ]; then echo "the signature is older than five minutes" >&2; exit 1; fi
expected=$({ printf '%s.' "$time"; cat "$body"; } | openssl dgst -sha256 -hmac "$WAXWING_WEBHOOK_SECRET" | sed 's/.* //')
# While one secret replaces another, there is a signature by each.
case ",$given," in *",v1=$expected,"*) ;; *) echo "the signature is wrong" >&2; exit 1 ;; esac
