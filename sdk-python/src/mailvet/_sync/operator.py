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
from .transport import Download, Transport


class Operator:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.audit = OperatorAudit(transport)
        self.keys = OperatorKeys(transport)

    def accounts(self, **query: Unpack[ListAccountsQuery]) -> Page[OperatorAccount]:
        """Newest first, unless sorted otherwise."""
        return self._transport.page(OperatorAccount, "/operator/accounts", query)

    def account(self, account_id: str) -> OperatorAccount:
        return self._transport.get(OperatorAccount, account_path(account_id))

    def open_account(self, **wanted: Unpack[OpenAccountRequest]) -> InvitedAccount:
        """Opens an account. The invitation is sent by email; where there is none, the response has the link, once."""
        return self._transport.post(InvitedAccount, "/operator/accounts", wanted)

    def invite_again(self, account_id: str) -> InvitedAccount:
        """A new link for an account whose owner has not chosen a password yet."""
        return self._transport.post(InvitedAccount, account_path(account_id, "/invitation"))

    def suspend(self, account_id: str, reason: str) -> OperatorAccount:
        """Refuses its keys and sessions, pauses its jobs, holds its webhooks. The owner sees the reason."""
        body = {"reason": reason}
        return self._transport.post(OperatorAccount, account_path(account_id, "/suspend"), body)

    def resume(self, account_id: str) -> OperatorAccount:
        return self._transport.post(OperatorAccount, account_path(account_id, "/resume"))

    def change_email(self, account_id: str, **change: Unpack[ChangeEmailRequest]) -> EmailChange:
        """Without `confirm=False`, the new address must be confirmed by a link, where the service sends email."""
        return self._transport.post(EmailChange, account_path(account_id, "/email"), change)

    def end_sessions(self, account_id: str) -> None:
        self._transport.post(type(None), account_path(account_id, "/end-sessions"))

    def erase(self, account_id: str, **confirmation: Unpack[EraseAccountRequest]) -> OperatorAccount:
        """Deletes everything the account has; until that is done, its state is `erasing`.

        `email` confirms which one is meant.
        """
        return self._transport.post(OperatorAccount, account_path(account_id, "/erase"), confirmation)

    def export_account(self, account_id: str) -> Download:
        """A ZIP file."""
        return self._transport.download(account_path(account_id, "/export"))

    def keys_of(self, account_id: str) -> list[ApiKey]:
        return self._transport.get(list[ApiKey], account_path(account_id, "/keys"))

    def credits_of(self, account_id: str, **query: Unpack[GetCreditsOfAccountQuery]) -> Credits:
        """Balance and a page of the ledger, newest first."""
        return self._transport.get(Credits, account_path(account_id, "/credits"), query)

    def jobs(self, **query: Unpack[ListAllJobsQuery]) -> list[OperatorJob]:
        """Jobs of all accounts, newest first."""
        return self._transport.get(list[OperatorJob], "/operator/jobs", query)

    def pause_job(self, job_id: str) -> OperatorJob:
        return self._job_action(job_id, "pause")

    def resume_job(self, job_id: str) -> OperatorJob:
        return self._job_action(job_id, "resume")

    def cancel_job(self, job_id: str) -> OperatorJob:
        return self._job_action(job_id, "cancel")

    def _job_action(self, job_id: str, action: Literal["pause", "resume", "cancel"]) -> OperatorJob:
        return self._transport.post(OperatorJob, f"/operator/jobs/{segment(job_id)}/{action}")

    def set_plan(self, account_id: str, **change: Unpack[ChangePlanRequest]) -> OperatorAccount:
        return self._transport.patch(OperatorAccount, account_path(account_id), change)

    def grant(self, account_id: str, **grant: Unpack[GrantRequest]) -> LedgerEntry:
        """A negative amount removes credits, at most the balance."""
        return self._transport.post(LedgerEntry, account_path(account_id, "/grants"), grant)

    def system(self) -> System:
        """Processes, queue, throttling and storage of the installation."""
        return self._transport.get(System, "/operator/system")

    def run_doctor(self) -> DoctorReport:
        """Runs diagnostics; takes up to 30 seconds. Returns the same report when called again soon after."""
        return self._transport.post_unkeyed(DoctorReport, "/operator/system/doctor")

    def dead_letters(self, **query: Unpack[ListDeadLettersQuery]) -> Page[DeadLetter]:
        """Tasks that failed for good, newest first."""
        return self._transport.page(DeadLetter, "/operator/dead-letters", query)

    def redrive(self, dead_letter_id: str) -> None:
        """Queues the task again and removes the dead letter."""
        path = f"/operator/dead-letters/{segment(dead_letter_id)}/redrive"
        self._transport.post_unkeyed(type(None), path)


def account_path(account_id: str, part: str = "") -> str:
    return f"/operator/accounts/{segment(account_id)}{part}"


class OperatorAudit:
    """The audit log of all accounts."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, **query: Unpack[ListAllAuditQuery]) -> builtins.list[OperatorAuditEntry]:
        """A page, newest first. The next page begins `before` the id of its last entry."""
        return self._transport.get(builtins.list[OperatorAuditEntry], "/operator/audit", query)

    def export(self, **query: Unpack[ExportAllAuditQuery]) -> Download:
        """All entries as CSV."""
        return self._transport.download("/operator/audit/export", query)


class OperatorKeys:
    """Keys for operator endpoints; needs a session."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> builtins.list[OperatorKey]:
        """Those of all operators, newest first, including recently revoked ones."""
        return self._transport.get(builtins.list[OperatorKey], "/operator/keys")

    def create(self, **key: Unpack[CreateOperatorKeyRequest]) -> CreatedOperatorKey:
        """The response contains the secret, which is not shown again."""
        return self._transport.post(CreatedOperatorKey, "/operator/keys", key)

    def revoke(self, key_id: str) -> None:
        """The key is refused from then on."""
        self._transport.delete(f"/operator/keys/{segment(key_id)}")
