"""Administration of an installation, for a signed-in operator or with an operator key as the API key."""

from __future__ import annotations

import builtins
from typing import Literal

from typing_extensions import Unpack

from .._pages import Page
from .._wire import segment
from ..types import (
    ApiKey,
    ChangeEmailRequest,
    ChangePlanRequest,
    CreatedOperatorKey,
    CreateOperatorKeyRequest,
    Credits,
    DeadLetter,
    DoctorReport,
    EmailChange,
    EraseAccountRequest,
    ExportAllAuditQuery,
    GetCreditsOfAccountQuery,
    GrantRequest,
    InvitedAccount,
    LedgerEntry,
    ListAccountsQuery,
    ListAllAuditQuery,
    ListAllJobsQuery,
    ListDeadLettersQuery,
    OpenAccountRequest,
    OperatorAccount,
    OperatorAuditEntry,
    OperatorJob,
    OperatorKey,
    System,
)
from .transport import AsyncDownload, AsyncTransport


class AsyncOperator:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.audit = AsyncOperatorAudit(transport)
        self.keys = AsyncOperatorKeys(transport)

    async def accounts(self, **query: Unpack[ListAccountsQuery]) -> Page[OperatorAccount]:
        """Newest first, unless sorted otherwise."""
        return await self._transport.page(OperatorAccount, "/operator/accounts", query)

    async def account(self, account_id: str) -> OperatorAccount:
        return await self._transport.get(OperatorAccount, account_path(account_id))

    async def open_account(self, **wanted: Unpack[OpenAccountRequest]) -> InvitedAccount:
        """Opens an account. The invitation is sent by email; where there is none, the response has the link, once."""
        return await self._transport.post(InvitedAccount, "/operator/accounts", wanted)

    async def invite_again(self, account_id: str) -> InvitedAccount:
        """A new link for an account whose owner has not chosen a password yet."""
        return await self._transport.post(InvitedAccount, account_path(account_id, "/invitation"))

    async def suspend(self, account_id: str, reason: str) -> OperatorAccount:
        """Refuses its keys and sessions, pauses its jobs, holds its webhooks. The owner sees the reason."""
        body = {"reason": reason}
        return await self._transport.post(OperatorAccount, account_path(account_id, "/suspend"), body)

    async def resume(self, account_id: str) -> OperatorAccount:
        return await self._transport.post(OperatorAccount, account_path(account_id, "/resume"))

    async def change_email(self, account_id: str, **change: Unpack[ChangeEmailRequest]) -> EmailChange:
        """Without `confirm=False`, the new address must be confirmed by a link, where the service sends email."""
        return await self._transport.post(EmailChange, account_path(account_id, "/email"), change)

    async def end_sessions(self, account_id: str) -> None:
        await self._transport.post(type(None), account_path(account_id, "/end-sessions"))

    async def erase(self, account_id: str, **confirmation: Unpack[EraseAccountRequest]) -> OperatorAccount:
        """Deletes everything the account has; until that is done, its state is `erasing`.

        `email` confirms which one is meant.
        """
        return await self._transport.post(OperatorAccount, account_path(account_id, "/erase"), confirmation)

    def export_account(self, account_id: str) -> AsyncDownload:
        """A ZIP file."""
        return self._transport.download(account_path(account_id, "/export"))

    async def keys_of(self, account_id: str) -> list[ApiKey]:
        return await self._transport.get(list[ApiKey], account_path(account_id, "/keys"))

    async def credits_of(self, account_id: str, **query: Unpack[GetCreditsOfAccountQuery]) -> Credits:
        """Balance and a page of the ledger, newest first."""
        return await self._transport.get(Credits, account_path(account_id, "/credits"), query)

    async def jobs(self, **query: Unpack[ListAllJobsQuery]) -> list[OperatorJob]:
        """Jobs of all accounts, newest first."""
        return await self._transport.get(list[OperatorJob], "/operator/jobs", query)

    async def pause_job(self, job_id: str) -> OperatorJob:
        return await self._job_action(job_id, "pause")

    async def resume_job(self, job_id: str) -> OperatorJob:
        return await self._job_action(job_id, "resume")

    async def cancel_job(self, job_id: str) -> OperatorJob:
        return await self._job_action(job_id, "cancel")

    async def _job_action(self, job_id: str, action: Literal["pause", "resume", "cancel"]) -> OperatorJob:
        return await self._transport.post(OperatorJob, f"/operator/jobs/{segment(job_id)}/{action}")

    async def set_plan(self, account_id: str, **change: Unpack[ChangePlanRequest]) -> OperatorAccount:
        return await self._transport.patch(OperatorAccount, account_path(account_id), change)

    async def grant(self, account_id: str, **grant: Unpack[GrantRequest]) -> LedgerEntry:
        """A negative amount removes credits, at most the balance."""
        return await self._transport.post(LedgerEntry, account_path(account_id, "/grants"), grant)

    async def system(self) -> System:
        """Processes, queue, throttling and storage of the installation."""
        return await self._transport.get(System, "/operator/system")

    async def run_doctor(self) -> DoctorReport:
        """Runs diagnostics; takes up to 30 seconds. Returns the same report when called again soon after."""
        return await self._transport.post_unkeyed(DoctorReport, "/operator/system/doctor")

    async def dead_letters(self, **query: Unpack[ListDeadLettersQuery]) -> Page[DeadLetter]:
        """Tasks that failed for good, newest first."""
        return await self._transport.page(DeadLetter, "/operator/dead-letters", query)

    async def redrive(self, dead_letter_id: str) -> None:
        """Queues the task again and removes the dead letter."""
        path = f"/operator/dead-letters/{segment(dead_letter_id)}/redrive"
        await self._transport.post_unkeyed(type(None), path)


def account_path(account_id: str, part: str = "") -> str:
    return f"/operator/accounts/{segment(account_id)}{part}"


class AsyncOperatorAudit:
    """The audit log of all accounts."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, **query: Unpack[ListAllAuditQuery]) -> builtins.list[OperatorAuditEntry]:
        """A page, newest first. The next page begins `before` the id of its last entry."""
        return await self._transport.get(builtins.list[OperatorAuditEntry], "/operator/audit", query)

    def export(self, **query: Unpack[ExportAllAuditQuery]) -> AsyncDownload:
        """All entries as CSV."""
        return self._transport.download("/operator/audit/export", query)


class AsyncOperatorKeys:
    """Keys for operator endpoints; needs a session."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self) -> builtins.list[OperatorKey]:
        """Those of all operators, newest first, including recently revoked ones."""
        return await self._transport.get(builtins.list[OperatorKey], "/operator/keys")

    async def create(self, **key: Unpack[CreateOperatorKeyRequest]) -> CreatedOperatorKey:
        """The response contains the secret, which is not shown again."""
        return await self._transport.post(CreatedOperatorKey, "/operator/keys", key)

    async def revoke(self, key_id: str) -> None:
        """The key is refused from then on."""
        await self._transport.delete(f"/operator/keys/{segment(key_id)}")
