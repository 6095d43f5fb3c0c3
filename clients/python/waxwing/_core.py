"""Requests to the server: the key, time limits, retries that never send twice, and pages.

Everything that the OpenAPI document says is in `_generated.py`.
"""

from __future__ import annotations

import http.client
import json
import random
import time
import uuid
from typing import Any, Dict, Iterator, List, NamedTuple, TypeVar, Optional, Tuple, TypeVar, Union
from urllib.parse import quote, urlencode, urlsplit

KEY_LENGTH_MAX = 100
RETRY_DELAY_MAX = 8.0
# More than the server needs to answer a request that waits.
WAIT_MARGIN = 10.0
# What a proxy answers while the server is away.
AWAY = (502, 503, 504)


class ApiList(NamedTuple):
    """One page of a list."""

    data: List[Any]
    meta: Dict[str, Any]


Item = TypeVar("Item")


class Entries(Iterator[Item]):
    """All entries of a list, page after page.

    `cursor`, in lists that give it: the position behind the entry that was given last. Passed as `after`, it continues with
    the next one. After the end it is the cursor that the server gave last. Store it in the transaction that holds the
    entry's effects.
    """

    cursor: Optional[str] = None

    def __init__(self, pages: Iterator[ApiList]) -> None:
        self._entries = self._walk(pages)

    def _walk(self, pages: Iterator[ApiList]) -> Iterator[Item]:
        for data, meta in pages:
            cursors = meta.get("cursors") or [None] * len(data)
            for entry, self.cursor in zip(data, cursors):
                yield entry
            self.cursor = meta["next"]

    def __next__(self) -> Item:
        return next(self._entries)


class MediaFile(NamedTuple):
    """The bytes of a file; `status` is 206 for a part of it."""

    content: bytes
    content_type: str
    status: int


class WaxwingError(Exception):
    """The server refused the request."""

    def __init__(
        self,
        status: int,
        error: Dict[str, Any],
        request_id: str,
        idempotency_key: Optional[str],
        retry_after: Optional[float],
    ) -> None:
        super().__init__(error["message"])
        self.status = status
        self.code: str = error["code"]
        self.message: str = error["message"]
        # All members of `error` in the server's answer.
        self.error = error
        # Leads to the request in the server's log.
        self.request_id = request_id
        # The key of the last try, for a call that sends.
        self.idempotency_key = idempotency_key
        self.retry_after = retry_after

    @property
    def retryable(self) -> bool:
        return bool(self.error.get("retryable"))

    @property
    def outcome(self) -> Optional[str]:
        return self.error.get("outcome")


class WaxwingConnectionError(Exception):
    """No answer of the server arrived.

    A call that sends may have sent: repeat it with `idempotency_key`, and it never sends twice.
    """

    def __init__(self, message: str, request_id: str, idempotency_key: Optional[str]) -> None:
        super().__init__(message)
        self.request_id = request_id
        self.idempotency_key = idempotency_key


Failure = Union[WaxwingError, WaxwingConnectionError]


class _Received(NamedTuple):
    status: int
    headers: Any
    body: bytes


class Core:
    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        timeout: float,
        max_retries: int,
        retry_delay: float,
        max_retry_after: float,
        user_agent: str,
    ) -> None:
        parts = urlsplit(base_url.rstrip("/"))
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError("base_url is an address such as https://waxwing.example.com/api/v1")
        self._parts = parts
        self._key = key
        self._timeout = timeout
        self._max_retries = max_retries
        self._retry_delay = retry_delay
        self._max_retry_after = max_retry_after
        self._user_agent = user_agent

    @staticmethod
    def quote(value: Union[str, int]) -> str:
        return quote(str(value), safe="")

    def one(self, method: str, path: str, **call: Any) -> Any:
        return json.loads(self._send(method, path, **call).body)["data"]

    def list(self, method: str, path: str, **call: Any) -> ApiList:
        answer = json.loads(self._send(method, path, **call).body)
        return ApiList(answer["data"], answer["meta"])

    def iterate(self, method: str, path: str, *, query: Optional[Dict[str, Any]] = None, **call: Any) -> "Entries[Any]":
        def pages() -> Iterator[ApiList]:
            asked = dict(query or {})
            while True:
                page = self.list(method, path, query=asked, **call)
                yield page
                if not page.meta["has_more"] or page.meta["next"] is None:
                    return
                asked["after"] = page.meta["next"]

        return Entries(pages())

    def file(self, method: str, path: str, *, byte_range: Optional[str] = None, **call: Any) -> MediaFile:
        more = {} if byte_range is None else {"Range": byte_range}
        status, headers, body = self._send(method, path, more=more, **call)
        return MediaFile(body, headers.get("Content-Type", "application/octet-stream"), status)

    def _send(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        file: Optional[Tuple[bytes, str]] = None,
        query: Optional[Dict[str, Any]] = None,
        more: Optional[Dict[str, str]] = None,
        takes_key: bool = False,
        is_idempotent: bool = False,
        idempotency_key: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> _Received:
        given = (idempotency_key if idempotency_key is not None else str(uuid.uuid4())) if takes_key else None
        traced = request_id if request_id is not None else str(uuid.uuid4())
        retries = self._max_retries if max_retries is None else max_retries
        wait = float((query or {}).get("wait") or 0)
        limit = (self._timeout if timeout is None else timeout) + (wait + WAIT_MARGIN if wait > 0 else 0)
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        kind = {} if body is None else {"Content-Type": "application/json"}
        if file is not None:
            content, form_type = _form_of(*file)
            kind = {"Content-Type": form_type}
        keys = 1
        tries = 1
        while True:
            # A restarted program arrives at the same keys again, so that nothing is sent twice.
            key = given if given is None or keys == 1 else f"{given}~{keys}"
            outcome = self._try(method, path + _query_text(query), content, {**kind, **(more or {})}, traced, key, limit)
            if isinstance(outcome, _Received):
                return outcome
            following = self._next(outcome, takes_key, is_idempotent, f"{given}~{keys + 1}")
            if following == "stop" or tries > retries:
                raise outcome
            if following == "new key":
                keys += 1
            time.sleep(self._delay(outcome, tries))
            tries += 1

    def _next(self, failed: Failure, takes_key: bool, is_idempotent: bool, new_key: str) -> str:
        if isinstance(failed, WaxwingConnectionError):
            return "same key" if takes_key or is_idempotent else "stop"
        if failed.retry_after is not None and failed.retry_after > self._max_retry_after:
            return "stop"
        following = _next_try(failed)
        return "stop" if following == "new key" and len(new_key) > KEY_LENGTH_MAX else following

    def _delay(self, failed: Failure, tries: int) -> float:
        if isinstance(failed, WaxwingError) and failed.retry_after is not None:
            return failed.retry_after
        longest = min(self._retry_delay * 2 ** (tries - 1), RETRY_DELAY_MAX)
        return longest * (0.5 + random.random() / 2)

    def _try(
        self,
        method: str,
        target: str,
        content: Optional[bytes],
        more: Dict[str, str],
        request_id: str,
        key: Optional[str],
        timeout: float,
    ) -> Union[_Received, Failure]:
        headers: Dict[str, Any] = {
            **more,
            "Authorization": f"Bearer {self._key}",
            "User-Agent": self._user_agent,
            "X-Request-Id": request_id,
        }
        if key is not None:
            headers["Idempotency-Key"] = key.encode("utf-8")
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(str(self._parts.hostname), self._parts.port, timeout=timeout)
        try:
            connection.request(method, self._parts.path + target, body=content, headers=headers)
            response = connection.getresponse()
            received = _Received(response.status, response.headers, response.read())
        except (OSError, http.client.HTTPException) as failure:
            late = isinstance(failure, TimeoutError) or "timed out" in str(failure)
            said = "The server did not answer in time." if late else f"The connection to the server failed: {failure}"
            return WaxwingConnectionError(said, request_id, key)
        finally:
            connection.close()
        return received if 200 <= received.status < 300 else _failure_of(received, request_id, key)


def _form_of(content: bytes, filename: str) -> Tuple[bytes, str]:
    """A form with one file, and its type."""
    boundary = f"waxwing-{uuid.uuid4().hex}"
    name = filename.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    form = head.encode("utf-8") + content + f"\r\n--{boundary}--\r\n".encode("ascii")
    return form, f"multipart/form-data; boundary={boundary}"


def _next_try(failed: WaxwingError) -> str:
    """Whether the answer permits another try by itself: only for states that pass in seconds."""
    retry_key = failed.error.get("retry_key")
    if failed.outcome == "unknown":
        return "same key" if retry_key == "same" and failed.status in (500, 503) else "stop"
    if not failed.retryable or not (failed.status == 429 or failed.status >= 500):
        return "stop"
    return "new key" if retry_key == "new" else "same key"


def _failure_of(received: _Received, request_id: str, key: Optional[str]) -> Failure:
    traced = received.headers.get("X-Request-Id") or request_id
    error = _read_error(received.body)
    if error is None:
        said = f"Not the server answered, but something before it, with {received.status}."
        if received.status in AWAY:
            return WaxwingConnectionError(said, request_id, key)
        error = {"code": "internal_error", "message": said, "retryable": False}
        return WaxwingError(received.status, error, traced, key, None)
    asked = received.headers.get("Retry-After")
    retry_after = float(asked) if asked is not None and asked.isdigit() else None
    return WaxwingError(received.status, error, traced, key, retry_after)


def _read_error(body: bytes) -> Optional[Dict[str, Any]]:
    try:
        error = json.loads(body)["error"]
        return error if isinstance(error["code"], str) else None
    except (ValueError, KeyError, TypeError):
        return None


def _query_text(query: Optional[Dict[str, Any]]) -> str:
    pairs = {name: _parameter_text(value) for name, value in (query or {}).items() if value is not None}
    return "?" + urlencode(pairs) if pairs else ""


def _parameter_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, (list, tuple)) else str(value)
