"""When to retry, and how long to wait before. No I/O: the transport asks after each failure."""

from __future__ import annotations

import random
import time

from .errors import MailvetError, MailvetProblem, MailvetUnreachable

FIRST_DELAY_SECONDS = 0.25
MAX_DELAY_SECONDS = 8.0
MAX_RETRY_AFTER_SECONDS = 60.0
"""Above this Retry-After, the error is raised instead of waiting."""
BUSY_RETRY_FACTOR = 10
"""Parts of a long list are retried this many times as often while the service is busy."""
TRANSIENT_STATUSES = (429, 502, 503, 504)
"""Sent by proxies while the service restarts or is busy."""


def delay_before(retries: int, retry_after_seconds: float, jitter: float) -> float | None:
    """Retry-After plus exponential back-off with up to 50 % jitter. None when Retry-After is too long to wait."""
    if retry_after_seconds > MAX_RETRY_AFTER_SECONDS:
        return None
    exponent = min(retries, 10)  # far above the maximum delay; a large one overflows
    growing = min(FIRST_DELAY_SECONDS * 2.0**exponent, MAX_DELAY_SECONDS)
    return retry_after_seconds + growing * (1 - jitter / 2)


class Retries:
    """Of one request. Failures, refusals and waiting for an earlier attempt are counted apart."""

    def __init__(self, retries: int, *, is_patient: bool, in_flight_seconds: float) -> None:
        self._limits = {"failure": retries, "refusal": retries * (BUSY_RETRY_FACTOR if is_patient else 1)}
        self._counts = {"failure": 0, "refusal": 0, "in_flight": 0}
        self._in_flight_seconds = in_flight_seconds
        self._in_flight_since: float | None = None

    def delay_after(self, error: MailvetError) -> float | None:
        """Seconds to wait before the next attempt; None when there is none."""
        kind = kind_of(error)
        if kind is None:
            return None
        retries = self._counts[kind]
        self._counts[kind] += 1
        if kind == "in_flight":
            self._in_flight_since = self._in_flight_since or time.monotonic()
            is_over = time.monotonic() - self._in_flight_since >= self._in_flight_seconds
        else:
            is_over = retries >= self._limits[kind]
        return None if is_over else delay_before(retries, error.retry_after_seconds or 0, random.random())


def kind_of(error: MailvetError) -> str | None:
    """The kind of a failure after which a retry may succeed."""
    if isinstance(error, MailvetProblem):
        if error.code == "idempotency_in_flight":
            return "in_flight"
        return "refusal" if error.status in (429, 503) else None
    if isinstance(error, MailvetUnreachable):
        is_transient = error.reason in ("no_connection", "timeout") or error.status in TRANSIENT_STATUSES
        return "failure" if is_transient else None
    return None


class Patience:
    """Of one that follows a job: how long the service may be unreachable."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.reset()

    def reset(self) -> None:
        self._last_update = time.monotonic()
        self._retries = 0

    def delay_after(self, error: MailvetError) -> float | None:
        is_transient = kind_of(error) is not None or (error.status or 0) >= 500
        wait = delay_before(self._retries, error.retry_after_seconds or 0, random.random())
        delay = MAX_RETRY_AFTER_SECONDS if wait is None else wait
        self._retries += 1
        is_over = time.monotonic() + delay - self._last_update > self._seconds
        return None if is_over or not is_transient else delay
