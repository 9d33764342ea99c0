"""Divides emails into bulk requests, and matches the results with the emails that were sent."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from .errors import MailvetUnreachable
from .types import BulkItem

BULK_SIZE = 1000
"""Emails per request."""
BULK_BYTES = 512 * 1024
"""Of their text as JSON; the service allows a body of 1 MiB."""


def batches_of(emails: Iterable[str]) -> Iterator[list[str]]:
    """The emails of each request."""
    batch: list[str] = []
    batch_bytes = 0
    for email in emails:
        email_bytes = len(json.dumps(email)) + 2
        if batch and batch_bytes + email_bytes > BULK_BYTES:
            yield batch
            batch, batch_bytes = [], 0
        batch.append(email)
        batch_bytes += email_bytes
        if len(batch) == BULK_SIZE:
            yield batch
            batch, batch_bytes = [], 0
    if batch:
        yield batch


def key_of(email: str) -> str:
    """The service treats emails with the same key as duplicates.

    It ignores only these blanks around an address. With another, such as a no-break space, it is a different email.
    """
    return unicodedata.normalize("NFC", email.strip(" \t\r\n")).lower()


def first_spellings(emails: Iterable[str]) -> list[str]:
    """Without the duplicates that this client recognises."""
    unique: dict[str, str] = {}
    for email in emails:
        unique.setdefault(key_of(email), email)
    return list(unique.values())


def match_results(emails: Sequence[str], results: Sequence[BulkItem]) -> tuple[dict[str, BulkItem], list[str]]:
    """Results by key, and the emails without one.

    Results follow the order of the emails. The service knows more spellings of a mailbox than `key_of` ("ann"@… is
    ann@…) and does not say which email is the original, so these duplicates have to be sent one by one.
    """
    items: dict[str, BulkItem] = {}
    left: list[str] = []
    position = 0
    for email in emails:
        is_next = position < len(results) and (len(results) == len(emails) or results[position]["email"] == email)
        if is_next:
            items[key_of(email)] = results[position]
            position += 1
        else:
            left.append(email)
    if position != len(results):
        message = "Not a Mailvet response: the results do not match the emails"
        raise MailvetUnreachable("invalid_response", message)
    return items, left
