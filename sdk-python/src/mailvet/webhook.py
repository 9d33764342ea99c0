"""Verifies webhook messages (Standard Webhooks 1.0, HMAC-SHA256).

Why not the standardwebhooks package: docs/decisions/0026-own-webhook-verification.md in the repository.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, cast

from typing_extensions import NotRequired

TOLERANCE_SECONDS = 300
"""Older messages are refused, because they may be replayed; newer ones have a wrong clock."""

PREFIX = "whsec_"


class WebhookMessage(TypedDict):
    type: str
    """The event, such as job.completed."""
    timestamp: str
    """Time of the event."""
    sandbox: NotRequired[bool]
    """Made in test mode."""
    data: dict[str, Any]


class InvalidWebhook(ValueError):
    """The message is not from the service, or was changed, or is too old."""


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
) -> WebhookMessage:
    """Returns the message of a delivery, or raises InvalidWebhook.

    `body` is the request body as it was received, not parsed and encoded again. While a secret is being replaced,
    give both.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id = given.get("webhook-id")
    timestamp = given.get("webhook-timestamp", "")
    signatures = given.get("webhook-signature", "").split()
    if not message_id or not timestamp.isascii() or not timestamp.isdigit() or not signatures:
        raise InvalidWebhook("the headers webhook-id, webhook-timestamp or webhook-signature are missing")
    if abs(time.time() - float(timestamp)) > tolerance_seconds:
        raise InvalidWebhook("the timestamp is too old or too new")
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{message_id}.{timestamp}.".encode() + content
    secrets = [secret] if isinstance(secret, str) else secret
    expected = [f"v1,{base64.b64encode(_digest(one, signed)).decode()}".encode() for one in secrets]
    matches = [hmac.compare_digest(one, signature.encode()) for one in expected for signature in signatures]
    if not any(matches):
        raise InvalidWebhook("no signature matches")
    return cast(WebhookMessage, json.loads(content))


def _digest(secret: str, signed: bytes) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except ValueError:
        key = b""
    if not key:
        raise InvalidWebhook("the secret is not whsec_ followed by base64")
    return hmac.new(key, signed, hashlib.sha256).digest()
