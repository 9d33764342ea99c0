"""Typed client of a Mailvet service, sync and async."""

from ._async.client import AsyncMailvet
from ._async.transport import AsyncDownload
from ._files import UploadFile
from ._pages import CreditsPage, Page, StatementPage
from ._sync.client import Mailvet
from ._sync.transport import Download
from ._wire import create_idempotency_key
from .errors import MailvetError, MailvetProblem, MailvetUnreachable
from .webhook import InvalidWebhook, WebhookMessage, verify_webhook

__all__ = [
    "AsyncDownload",
    "AsyncMailvet",
    "CreditsPage",
    "Download",
    "InvalidWebhook",
    "Mailvet",
    "MailvetError",
    "MailvetProblem",
    "MailvetUnreachable",
    "Page",
    "StatementPage",
    "UploadFile",
    "WebhookMessage",
    "create_idempotency_key",
    "verify_webhook",
]
