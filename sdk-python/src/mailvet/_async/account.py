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
from .transport import AsyncDownload, AsyncTransport


class AsyncFeedback:
    """Delivery outcomes, which improve the scores."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def submit(self, outcomes: ReportedOutcome | Sequence[ReportedOutcome]) -> FeedbackSummary:
        """One outcome, or up to 1,000. Free; reporting the same outcome again changes nothing."""
        body = outcomes if isinstance(outcomes, Mapping) else {"outcomes": list(outcomes)}
        return await self._transport.post(FeedbackSummary, "/feedback", body)

    async def upload(self, file: UploadFile) -> FeedbackSummary:
        """A file exported by a mail provider, sent like the lists of `jobs.upload`."""
        return await self._transport.post(FeedbackSummary, "/feedback", upload=upload_of(file))

    async def report(self) -> FeedbackReport:
        """Predicted and actual bounces."""
        return await self._transport.get(FeedbackReport, "/feedback/report")

    async def delete_all(self) -> None:
        """Deletes all outcomes and the calibration derived from them."""
        await self._transport.delete("/feedback")


class AsyncWebhooks:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self) -> builtins.list[WebhookEndpoint]:
        return await self._transport.get(builtins.list[WebhookEndpoint], "/webhooks")

    async def create(self, **endpoint: Unpack[CreateWebhookRequest]) -> WebhookWithSecret:
        """The response contains the signing secret, which is not shown again."""
        return await self._transport.post(WebhookWithSecret, "/webhooks", endpoint)

    async def get(self, webhook_id: str) -> WebhookEndpoint:
        return await self._transport.get(WebhookEndpoint, webhook_path(webhook_id))

    async def update(self, webhook_id: str, **changes: Unpack[UpdateWebhookRequest]) -> WebhookEndpoint:
        """Changes only the given fields. Enabling an endpoint clears `disabled_reason`."""
        return await self._transport.patch(WebhookEndpoint, webhook_path(webhook_id), changes)

    async def remove(self, webhook_id: str) -> None:
        await self._transport.delete(webhook_path(webhook_id))

    async def rotate_secret(self, webhook_id: str) -> WebhookWithSecret:
        """Returns a new secret, which is not shown again."""
        return await self._transport.post(WebhookWithSecret, webhook_path(webhook_id, "/rotate-secret"))

    async def test(self, webhook_id: str) -> WebhookDelivery:
        """Sends the event webhook.test."""
        return await self._transport.post(WebhookDelivery, webhook_path(webhook_id, "/test"))

    async def deliveries(self, webhook_id: str, **query: Unpack[ListWebhookDeliveriesQuery]) -> Page[WebhookDelivery]:
        """Newest first."""
        return await self._transport.page(WebhookDelivery, webhook_path(webhook_id, "/deliveries"), query)

    async def replay(self, webhook_id: str, delivery_id: str) -> WebhookDelivery:
        """Sends the same message again."""
        path = webhook_path(webhook_id, f"/deliveries/{segment(delivery_id)}/replay")
        return await self._transport.post(WebhookDelivery, path)


def webhook_path(webhook_id: str, part: str = "") -> str:
    return f"/webhooks/{segment(webhook_id)}{part}"


class AsyncKeys:
    """API keys of the signed-in account."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self) -> builtins.list[ApiKey]:
        """Newest first, including recently revoked ones."""
        return await self._transport.get(builtins.list[ApiKey], "/keys")

    async def create(self, **key: Unpack[CreateKeyRequest]) -> CreatedKey:
        """The response contains the secret, which is not shown again."""
        return await self._transport.post(CreatedKey, "/keys", key)

    async def revoke(self, key_id: str) -> None:
        """Takes effect in all processes within a second."""
        await self._transport.delete(f"/keys/{segment(key_id)}")


class AsyncAuth:
    """A session instead of an API key, for what needs one: API keys, notifications, the audit log."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def sign_in(self, **credentials: Unpack[SignInRequest]) -> SignedIn:
        """Raises the problem two_factor_required when the account has two-factor sign-in and `code` is missing."""
        return await self._transport.post_unkeyed(SignedIn, "/auth/sign-in", credentials)

    async def sign_out(self) -> None:
        await self._transport.post_unkeyed(type(None), "/auth/sign-out")

    async def session(self) -> SignedIn:
        """The current session; raises the problem not_signed_in without one."""
        return await self._transport.get(SignedIn, "/auth/session")


class AsyncAudit:
    """The audit log of the signed-in account."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, **query: Unpack[ListAuditQuery]) -> builtins.list[AuditEntry]:
        """A page, newest first. The next page begins `before` the id of its last entry."""
        return await self._transport.get(builtins.list[AuditEntry], "/audit", query)

    def export(self, **query: Unpack[ExportAuditQuery]) -> AsyncDownload:
        """All entries as CSV."""
        return self._transport.download("/audit/export", query)
