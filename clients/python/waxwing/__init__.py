"""The Waxwing client: `Waxwing(base_url, key)`."""

from __future__ import annotations

from ._core import ApiList, Core, MediaFile, WaxwingConnectionError, WaxwingError
from ._generated import VERSION, Operations
from .webhook import WebhookError, read_webhook

__version__ = VERSION
__all__ = [
    "ApiList",
    "MediaFile",
    "Waxwing",
    "WaxwingConnectionError",
    "WaxwingError",
    "WebhookError",
    "read_webhook",
]


class Waxwing(Operations):
    """The API of one workspace.

    `timeout` is for each try, `max_retries` counts further tries, `retry_delay` is the pause before the second try and
    doubles, and a `Retry-After` longer than `max_retry_after` is not waited for; all times in seconds.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        timeout: float = 60.0,
        max_retries: int = 3,
        retry_delay: float = 0.5,
        max_retry_after: float = 30.0,
    ) -> None:
        self._core = Core(
            base_url,
            key,
            timeout=timeout,
            max_retries=max_retries,
            retry_delay=retry_delay,
            max_retry_after=max_retry_after,
            user_agent=f"waxwing-python/{VERSION}",
        )
