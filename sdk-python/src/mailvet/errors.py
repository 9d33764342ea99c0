"""The errors of a call: the service rejected it with a problem document, or there was no valid response.

Neither contains the API key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from .types import ProblemError

UnreachableReason = Literal["no_connection", "timeout", "redirected", "invalid_response"]


class MailvetError(Exception):
    """Base of both errors."""

    status: int | None
    """The HTTP status, if there was a response."""
    retry_after_seconds: float | None
    """When a retry may succeed."""


class MailvetProblem(MailvetError):
    """The service rejected the request. Nothing was charged."""

    status: int

    def __init__(self, problem: dict[str, Any], status: int, retry_after_seconds: float | None = None) -> None:
        super().__init__(f"{problem['detail']} ({problem['code']})")
        self.status = status
        self.retry_after_seconds = retry_after_seconds
        self.code: str = problem["code"]
        """Stable. A service newer than this package may use further codes."""
        self.detail: str = problem["detail"]
        """What is wrong with this request, in a sentence."""
        self.request_id: str = problem.get("request_id", "")
        """Identifies the request in the log of the service."""
        self.errors: Sequence[ProblemError] = problem.get("errors") or ()
        """The invalid parts of the request, as JSON Pointers."""
        self.required: int | None = problem.get("required")
        """Credits needed (insufficient_credits)."""
        self.available: int | None = problem.get("available")
        """Credits available (insufficient_credits)."""
        self.found: int | None = problem.get("found")
        """Number found (too_many_emails, too_many_rows)."""
        self.limit: int | None = problem.get("limit")
        """Maximum allowed (too_many_emails, too_many_rows)."""


class MailvetUnreachable(MailvetError):
    """There was no valid response, so the outcome of the request is unknown.

    no_connection: refused, not resolvable, or closed. timeout: no response in time. redirected: the service has
    another URL. invalid_response: a response that is not from this API, usually from a proxy.
    """

    def __init__(
        self,
        reason: UnreachableReason,
        message: str,
        *,
        status: int | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.status = status
        self.retry_after_seconds = retry_after_seconds
