"""Requests and responses as they are on the wire. No I/O."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from ._files import Upload
from .errors import MailvetProblem, MailvetUnreachable

API_PREFIX = "/api/v1"


@dataclass
class Request:
    method: str
    path: str
    query: Mapping[str, object] | None = None
    body: object = None
    upload: Upload | None = None
    accept: str = "application/json"
    extra_seconds: float = 0
    """Added to the timeout of the response."""
    idempotency_key: str | None = None
    """Makes a POST safe to retry: the service executes it once and repeats the response."""
    is_patient: bool = False
    """For parts of a long list: retry more often while the service is busy."""

    @property
    def is_repeatable(self) -> bool:
        is_safe = self.method == "GET" or self.idempotency_key is not None
        return is_safe and (self.upload is None or self.upload.is_repeatable)

    @property
    def headers(self) -> dict[str, str]:
        headers = {"accept": self.accept}
        if self.idempotency_key is not None:
            headers["idempotency-key"] = self.idempotency_key
        if self.body is not None:
            headers["content-type"] = "application/json"
        return headers

    @property
    def content(self) -> bytes | None:
        return None if self.body is None else json.dumps(self.body).encode()


def create_idempotency_key() -> str:
    """A random Idempotency-Key: requests with the same key are executed and charged once."""
    return secrets.token_hex(16)


def api_root(base_url: str) -> str:
    """Root URL of the API, without a trailing slash."""
    text = base_url.strip().rstrip("/")
    url = urlsplit(text)
    is_plain = not (url.query or url.fragment or url.username or url.password)
    if url.scheme not in ("http", "https") or not url.hostname or not is_plain:
        raise ValueError("base_url must be a URL such as https://mailvet.example.com")
    return text if text.endswith(API_PREFIX) else text + API_PREFIX


def client_headers(api_key: str | None, mode: str | None) -> dict[str, str]:
    """The key is checked here, because an error of httpx would contain it."""
    headers = {"user-agent": f"mailvet-python/{version('mailvet')}"}
    if api_key:
        key = api_key.strip()
        if not re.fullmatch(r"[\x21-\x7e]+", key):
            raise ValueError("api_key must be printable ASCII without spaces")
        headers["x-api-key"] = key
    elif mode == "test":
        headers["x-mailvet-mode"] = "test"
    return headers


def segment(text: str) -> str:
    """A value as a part of a path. Those that HTTP clients remove from one would lead to another endpoint."""
    if text in ("", ".", ".."):
        raise ValueError(f"not an ID: {text!r}")
    return quote(text, safe="")


def given(**values: object) -> dict[str, object]:
    """The values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def query_of(query: Mapping[str, object] | None) -> dict[str, str]:
    """`from_` and `for_` are `from` and `for`, which are words of Python; several values are joined by commas."""
    return {name.rstrip("_"): _query_text(value) for name, value in (query or {}).items() if value is not None}


def _query_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def has_succeeded(response: httpx.Response) -> bool:
    """A page of HTML is from something else, usually a proxy."""
    is_page = response.headers.get("content-type", "").lower().startswith("text/html")
    return response.is_success and not is_page


def check(response: httpx.Response) -> None:
    """Raises unless the API succeeded. The body of another response has been read."""
    if has_succeeded(response):
        return
    status = response.status_code
    if 300 <= status < 400:
        # Not followed: the key would be sent to the target.
        target = response.headers.get("location", "")
        raise MailvetUnreachable("redirected", f"The service redirects to another URL: {target}", status=status)
    retry_after = seconds_until(response.headers.get("retry-after"), datetime.now(timezone.utc))
    problem = _json(response)
    is_problem = isinstance(problem, dict) and {"code", "detail"} <= problem.keys()
    if is_problem and not response.is_success:
        raise MailvetProblem(problem, status, retry_after)
    raise _foreign(response, retry_after)


def document_in(response: httpx.Response) -> Any:
    """The document of a response that succeeded; None without one."""
    if response.status_code == 204:
        return None
    document = _json(response)
    if not isinstance(document, (dict, list)):
        raise _foreign(response, None)
    return document


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError):
        return None


def _foreign(response: httpx.Response, retry_after: float | None) -> MailvetUnreachable:
    kind = response.headers.get("content-type", "no content type")
    message = f"Not a Mailvet response: status {response.status_code}, {kind}"
    return MailvetUnreachable("invalid_response", message, status=response.status_code, retry_after_seconds=retry_after)


def unreachable(error: httpx.HTTPError) -> MailvetUnreachable:
    if isinstance(error, httpx.TimeoutException):
        return MailvetUnreachable("timeout", "No response in time")
    return MailvetUnreachable("no_connection", f"No connection: {error}")


def count_in(response: httpx.Response, header: str) -> int | None:
    text = response.headers.get(header, "")
    return int(text) if re.fullmatch(r"\d{1,15}", text) else None


def seconds_until(retry_after: str | None, now: datetime) -> float | None:
    """Retry-After is a number of seconds or a date (RFC 9110, section 10.2.3)."""
    if retry_after is None:
        return None
    if re.fullmatch(r"\d{1,15}", retry_after):
        return float(retry_after)
    try:
        at = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return None
    in_utc = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return max(0.0, (in_utc - now).total_seconds())
