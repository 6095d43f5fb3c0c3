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

    `body`: the raw bytes of the request, before JSON parsing. `header`: `Service-Signature`; while a secret is being
    replaced it holds a signature by each, and one that fits is enough.
    """
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise WebhookError("The body has to be the raw bytes of the request, not text or the parsed JSON.")
    if not isinstance(secret, str) or secret == "":
        raise WebhookError("The webhook secret is empty.")
    parts = re.fullmatch(r"t=([0-9]{1,12})((?:,v1=[0-9a-f]{64}){1,8})", header or "")
    if parts is None:
        raise WebhookError("The signature is missing or malformed.")
    if (time.time() if now is None else now) - int(parts[1]) > _OLDEST:
        raise WebhookError("The signature is older than five minutes.")
    raw = bytes(body)
    expected = hmac.new(secret.encode(), parts[1].encode() + b"." + raw, hashlib.sha256).hexdigest()
    if not any(hmac.compare_digest(expected, given) for given in parts[2].split(",v1=")[1:]):
        raise WebhookError("The signature is wrong.")
    try:
        return cast(WebhookEvent, json.loads(raw))
    except ValueError as error:
        raise WebhookError("The body is signed, but is not JSON.") from error
