"""Tells a customer that an order is on its way: python send.py ORDER PHONE NAME"""

import os
import sys

from waxwing import Waxwing, WaxwingConnectionError, WaxwingError

order, phone, name = (sys.argv[1:] + ["A-1042", os.environ.get("TO"), "Asha"][len(sys.argv) - 1 :])[:3]
waxwing = Waxwing(os.environ["WAXWING_URL"], os.environ["WAXWING_KEY"])

try:
    message = waxwing.send_message(
        {"to": phone, "template": "order_shipped", "variables": [name, order], "reference": order},
        # The same order never sends twice, however often this program runs.
        idempotency_key=f"{order}-shipped",
    )
except WaxwingError as error:
    print(f"{error.code}: {error.message} (request {error.request_id})", file=sys.stderr)
    if error.outcome == "unknown":
        print("It may have arrived. An event or GET /messages?reference= will tell.", file=sys.stderr)
    sys.exit(75 if error.retryable else 1)
except WaxwingConnectionError as error:
    print(f"{error} Run this program again: it never sends twice.", file=sys.stderr)
    sys.exit(75)
print(f"message {message['id']} to {message['to']}: {message['status']}")
