"""Checks that a webhook comes from the server, before anything in it is believed."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import Optional, cast

from ._generated import WebhookEvent

_OLDEST = 300


class WebhookError(Exception):
    """The request is not from the holder of the secret, or is older than five minutes."""


def read_webhook(body: bytes, header: Optional[str], secret: str, now: Optional[float] = None) -> WebhookEvent:
    """Return the event.

    `body`: the raw bytes of the request, before JSON parsing. `header`: `Service-Signature`.
    """
    parts = re.fullmatch(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})", header or "")
    if parts is None:
        raise WebhookError("The signature is missing or malformed.")
    if (time.time() if now is None else now) - int(parts[1]) > _OLDEST:
        raise WebhookError("The signature is older than five minutes.")
    expected = hmac.new(secret.encode(), parts[1].encode() + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected, parts[2]):
        raise WebhookError("The signature is wrong.")
    return cast(WebhookEvent, json.loads(body))
