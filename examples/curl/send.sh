#!/bin/sh
# Tells a customer that an order is on its way: sh send.sh ORDER PHONE NAME
set -eu
order=${1:-A-1042} phone=${2:-${TO:?is not set: the number to send to, with its country code}} name=${3:-Asha}

# The same order never sends twice, however often this program runs: that is what --retry-all-errors needs.
curl --silent --show-error --fail-with-body --retry 3 --retry-all-errors "$WAXWING_URL/messages" \
  -H "Authorization: Bearer $WAXWING_KEY" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: $order-shipped" \
  -d "{\"to\": \"$phone\", \"template\": \"order_shipped\", \"variables\": [\"$name\", \"$order\"], \"reference\": \"$order\"}"
echo
