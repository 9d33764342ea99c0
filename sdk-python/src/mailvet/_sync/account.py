"""What belongs to an account: feedback, webhooks, API keys, sessions and the audit log."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence

from typing_extensions import Unpack

from .._files import UploadFile, upload_of
from .._pages import Page
from .._wire import segment
from ..types import (
    ApiKey,
    AuditEntry,
    CreatedKey,
    CreateKeyRequest,
    CreateWebhookRequest,
    ExportAuditQuery,
    FeedbackReport,
    FeedbackSummary,
    ListAuditQuery,
    ListWebhookDeliveriesQuery,
    ReportedOutcome,
    SignedIn,
    SignInRequest,
    UpdateWebhookRequest,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookWithSecret,
)
from .transport import Download, Transport


class Feedback:
    """Delivery outcomes, which improve the scores."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def submit(self, outcomes: ReportedOutcome | Sequence[ReportedOutcome]) -> FeedbackSummary:
        """One outcome, or up to 1,000. Free; reporting the same outcome again changes nothing."""
        body = outcomes if isinstance(outcomes, Mapping) else {"outcomes": list(outcomes)}
        return self._transport.post(FeedbackSummary, "/feedback", body)

    def upload(self, file: UploadFile) -> FeedbackSummary:
        """A file exported by a mail provider, sent like the lists of `jobs.upload`."""
        return self._transport.post(FeedbackSummary, "/feedback", upload=upload_of(file))

    def report(self) -> FeedbackReport:
        """Predicted and actual bounces."""
        return self._transport.get(FeedbackReport, "/feedback/report")

    def delete_all(self) -> None:
        """Deletes all outcomes and the calibration derived from them."""
        self._transport.delete("/feedback")


class Webhooks:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> builtins.list[WebhookEndpoint]:
        return self._transport.get(builtins.list[WebhookEndpoint], "/webhooks")

    def create(self, **endpoint: Unpack[CreateWebhookRequest]) -> WebhookWithSecret:
        """The response contains the signing secret, which is not shown again."""
        return self._transport.post(WebhookWithSecret, "/webhooks", endpoint)

    def get(self, webhook_id: str) -> WebhookEndpoint:
        return self._transport.get(WebhookEndpoint, webhook_path(webhook_id))

    def update(self, webhook_id: str, **changes: Unpack[UpdateWebhookRequest]) -> WebhookEndpoint:
        """Changes only the given fields. Enabling an endpoint clears `disabled_reason`."""
        return self._transport.patch(WebhookEndpoint, webhook_path(webhook_id), changes)

    def remove(self, webhook_id: str) -> None:
        self._transport.delete(webhook_path(webhook_id))

    def rotate_secret(self, webhook_id: str) -> WebhookWithSecret:
        """Returns a new secret, which is not shown again."""
        return self._transport.post(WebhookWithSecret, webhook_path(webhook_id, "/rotate-secret"))

    def test(self, webhook_id: str) -> WebhookDelivery:
        """Sends the event webhook.test."""
        return self._transport.post(WebhookDelivery, webhook_path(webhook_id, "/test"))

    def deliveries(self, webhook_id: str, **query: Unpack[ListWebhookDeliveriesQuery]) -> Page[WebhookDelivery]:
        """Newest first."""
        return self._transport.page(WebhookDelivery, webhook_path(webhook_id, "/deliveries"), query)

    def replay(self, webhook_id: str, delivery_id: str) -> WebhookDelivery:
        """Sends the same message again."""
        path = webhook_path(webhook_id, f"/deliveries/{segment(delivery_id)}/replay")
        return self._transport.post(WebhookDelivery, path)


def webhook_path(webhook_id: str, part: str = "") -> str:
    return f"/webhooks/{segment(webhook_id)}{part}"


class Keys:
    """API keys of the signed-in account."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> builtins.list[ApiKey]:
        """Newest first, including recently revoked ones."""
        return self._transport.get(builtins.list[ApiKey], "/keys")

    def create(self, **key: Unpack[CreateKeyRequest]) -> CreatedKey:
        """The response contains the secret, which is not shown again."""
        return self._transport.post(CreatedKey, "/keys", key)

    def revoke(self, key_id: str) -> None:
        """Takes effect in all processes within a second."""
        self._transport.delete(f"/keys/{segment(key_id)}")


class Auth:
    """A session instead of an API key, for what needs one: API keys, notifications, the audit log."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def sign_in(self, **credentials: Unpack[SignInRequest]) -> SignedIn:
        """Raises the problem two_factor_required when the account has two-factor sign-in and `code` is missing."""
        return self._transport.post_unkeyed(SignedIn, "/auth/sign-in", credentials)

    def sign_out(self) -> None:
        self._transport.post_unkeyed(type(None), "/auth/sign-out")

    def session(self) -> SignedIn:
        """The current session; raises the problem not_signed_in without one."""
        return self._transport.get(SignedIn, "/auth/session")


class Audit:
    """The audit log of the signed-in account."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, **query: Unpack[ListAuditQuery]) -> builtins.list[AuditEntry]:
        """A page, newest first. The next page begins `before` the id of its last entry."""
        return self._transport.get(builtins.list[AuditEntry], "/audit", query)

    def export(self, **query: Unpack[ExportAuditQuery]) -> Download:
        """All entries as CSV."""
        return self._transport.download("/audit/export", query)
