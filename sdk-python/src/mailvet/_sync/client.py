"""Typed client of the API. Methods return the documents of the API unchanged."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Literal, TypedDict

import httpx
from typing_extensions import Self, Unpack

from .._bulk import batches_of, first_spellings, key_of, match_results
from .._pages import CreditsPage, StatementPage
from .._wire import given, segment
from ..types import (
    About,
    Account,
    BulkItem,
    BulkSummary,
    Credits,
    DomainReport,
    GetCreditsQuery,
    GetStatementQuery,
    GetUsageQuery,
    NotificationChanges,
    NotificationSettings,
    Statement,
    Usage,
    ValidationResult,
)
from .account import Audit, Auth, Feedback, Keys, Webhooks
from .jobs import Jobs, Lists
from .operator import Operator
from .transport import Transport

TIMEOUT_SECONDS = 75.0
"""A bulk request may take 50."""


class ValidateOptions(TypedDict, total=False):
    timeout_seconds: int
    """Response time limit, 1 to 60. A check that takes longer is unknown; repeat the request for its result."""
    level: Literal["syntax", "dns", "smtp"]
    """Depth of the check. Default: smtp."""
    fresh_seconds: int
    """Maximum age of a cached result; 0 disables the cache."""


class Mailvet:
    """Client of one service. Close it after use, or use it as a context manager.

    Without `base_url` and `api_key`, the environment variables MAILVET_SERVICE and MAILVET_API_KEY are used. With an
    empty key, `auth.sign_in` opens a session; `mode="test"` then uses the sandbox. `retries` is the number of
    retries of a request that is safe to repeat.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        mode: Literal["live", "test"] | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        retries: int = 3,
        http_client: httpx.Client | None = None,
    ) -> None:
        transport = Transport(
            base_url or os.environ.get("MAILVET_SERVICE", ""),
            os.environ.get("MAILVET_API_KEY") if api_key is None else api_key,
            mode,
            timeout_seconds,
            retries,
            http_client,
        )
        self._transport = transport
        self.jobs = Jobs(transport)
        self.lists = Lists(transport)
        self.feedback = Feedback(transport)
        self.webhooks = Webhooks(transport)
        self.keys = Keys(transport)
        self.auth = Auth(transport)
        self.audit = Audit(transport)
        self.operator = Operator(transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections, except those of an `http_client` of your own."""
        self._transport.close()

    @property
    def credits_remaining(self) -> int | None:
        """Balance from the last response that contained it."""
        return self._transport.credits_remaining

    def validate(
        self, email: str, *, idempotency_key: str | None = None, **options: Unpack[ValidateOptions]
    ) -> ValidationResult:
        """Full result for one email."""
        body = {"email": email, **body_options(options)}
        return self._transport.post(ValidationResult, "/validation/single", body, idempotency_key=idempotency_key)

    def validate_bulk(
        self, emails: Iterable[str], *, idempotency_key: str | None = None, **options: Unpack[ValidateOptions]
    ) -> BulkSummary:
        """Up to 1,000 emails in one request: counts, and one short result per unique email."""
        body = {"emails": list(emails), **body_options(options)}
        return self._transport.post(BulkSummary, "/validation/bulk", body, idempotency_key=idempotency_key)

    def validate_many(self, emails: Iterable[str], **options: Unpack[ValidateOptions]) -> Iterator[BulkItem]:
        """Any number of emails: one short result each, in input order, from requests of up to 1,000.

        A duplicate within a request is sent once.
        """
        for batch in batches_of(emails):
            unique = first_spellings(batch)
            items, left = match_results(unique, (self._bulk(unique, options))["results"])
            for email in left:
                items[key_of(email)] = (self._bulk([email], options))["results"][0]
            for email in batch:
                yield {**items[key_of(email)], "email": email}

    def _bulk(self, emails: list[str], options: ValidateOptions) -> BulkSummary:
        body = {"emails": emails, **body_options(options)}
        return self._transport.post(BulkSummary, "/validation/bulk", body, is_patient=True)

    def inspect_domain(self, domain: str) -> DomainReport:
        """Mail route, provider, policies and catch-all status of a domain."""
        return self._transport.get(DomainReport, f"/domains/{segment(domain)}")

    def about(self) -> About:
        """Public information about the installation; needs no authentication."""
        return self._transport.get(About, "/about")

    def account(self) -> Account:
        """Plan, credits and limits."""
        return self._transport.get(Account, "/account")

    def notifications(self) -> NotificationSettings:
        """What the account is told by email; with a session only."""
        return self._transport.get(NotificationSettings, "/account/notifications")

    def change_notifications(self, **changes: Unpack[NotificationChanges]) -> NotificationSettings:
        return self._transport.patch(NotificationSettings, "/account/notifications", changes)

    def statement(self, **query: Unpack[GetStatementQuery]) -> StatementPage:
        """The ledger in lines: one per job, one per day and key for requests, one per grant."""
        document, total = self._transport.counted(Statement, "/credits/statement", query)
        return {**document, "total": len(document["lines"]) if total is None else total}

    def credits(self, **query: Unpack[GetCreditsQuery]) -> CreditsPage:
        """Balance and a page of the ledger, newest first; `total` counts all entries."""
        document, total = self._transport.counted(Credits, "/credits", query)
        return {**document, "total": len(document["ledger"]) if total is None else total}

    def usage(self, **query: Unpack[GetUsageQuery]) -> Usage:
        """Usage by day and key. Default: the last 30 days."""
        return self._transport.get(Usage, "/usage", query)


def body_options(options: ValidateOptions) -> dict[str, object]:
    """As the API names them."""
    return given(
        timeout_seconds=options.get("timeout_seconds"),
        level=options.get("level"),
        fresh=options.get("fresh_seconds"),
    )
