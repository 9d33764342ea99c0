"""Jobs: upload a file, confirm, follow the job, read the results; and saved lists, which are jobs that are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import sleep
from typing import Literal

from typing_extensions import Unpack

from .._files import UploadFile, is_several, upload_of
from .._pages import Page
from .._retry import Patience
from .._wire import given, segment
from ..errors import MailvetError, MailvetUnreachable
from ..types import (
    ConfirmRequest,
    CreateJobRequest,
    CreateListRequest,
    DownloadJobQuery,
    GetJobResultsQuery,
    Job,
    JobResult,
    ListChange,
    ListJobsQuery,
    RecheckRequest,
    SavedList,
    UpdateListRequest,
    UploadEstimate,
    UploadPreview,
    ValidationResult,
)
from .transport import Download, Transport

PAGE_SIZE = 100
"""Maximum of the API."""
WAIT_SECONDS = 25
"""Of a request that waits for a change."""
LINK_SECONDS = 300.0
"""Time of the service to download a file, and to read a list."""
CREATE_SECONDS = 60.0
PATIENCE_SECONDS = 600.0
FINAL_STATUSES = ("completed", "failed", "cancelled")


class Jobs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def upload(
        self,
        file: UploadFile | Sequence[UploadFile],
        *,
        sheet: str | None = None,
        split: bool = False,
        idempotency_key: str | None = None,
    ) -> UploadPreview:
        """Uploads a file and returns a preview; nothing is charged yet. Several files, at most 10, are one list.

        `sheet` of a spreadsheet: by default the first one with emails. `split` allows ten times the emails of a file.
        """
        query = given(sheet=sheet, split=split or None, group=is_several(file) or None)
        return self._transport.post(
            UploadPreview,
            "/bulk/upload/preview",
            query=query,
            upload=upload_of(file),
            idempotency_key=idempotency_key,
        )

    def upload_link(
        self,
        url: str,
        *,
        sheet: str | None = None,
        split: bool | None = None,
        idempotency_key: str | None = None,
    ) -> UploadPreview:
        """The service downloads the file from a public https URL; otherwise like `upload`."""
        return self._transport.post(
            UploadPreview,
            "/bulk/upload/link",
            given(url=url, sheet=sheet, split=split),
            idempotency_key=idempotency_key,
            extra_seconds=LINK_SECONDS,
        )

    def estimate(self, **choice: Unpack[ConfirmRequest]) -> UploadEstimate:
        """Checks a sample of the upload up to DNS, free of charge: the verdicts to expect, and the cost."""
        return self._transport.post(UploadEstimate, "/bulk/upload/estimate", choice)

    def create(self, *, idempotency_key: str | None = None, **job: Unpack[CreateJobRequest]) -> Job:
        """Starts a job with `emails`, or `rows` with columns of your own, without a preview."""
        return self._transport.post(
            Job, "/bulk/jobs", job, idempotency_key=idempotency_key, extra_seconds=CREATE_SECONDS
        )

    def confirm(self, *, idempotency_key: str | None = None, **choice: Unpack[ConfirmRequest]) -> Job:
        """Reserves a credit per unique email of the column and starts the job. Repeated, it returns the same job."""
        return self._transport.post(Job, "/bulk/upload/confirm", choice, idempotency_key=idempotency_key)

    def run(
        self,
        source: UploadFile | Sequence[UploadFile] | CreateJobRequest,
        *,
        email_column: str | None = None,
        more_email_columns: Sequence[str] = (),
        on_progress: Callable[[Job], None] | None = None,
        patience_seconds: float = PATIENCE_SECONDS,
        sheet: str | None = None,
        split: bool = False,
    ) -> Job:
        """Starts a job and waits for its end: a file as for `upload`, or a dict as for `create`.

        The column is the suggested one unless it is given. `results` and `download` have the verdicts.
        """
        if isinstance(source, Mapping):
            job = self.create(**source)
        else:
            preview = self.upload(source, sheet=sheet, split=split)
            choice: ConfirmRequest = {
                "upload_id": preview["upload_id"],
                "email_column": email_column or preview["suggested_email_column"],
            }
            if more_email_columns:
                choice["more_email_columns"] = [*more_email_columns]
            job = self.confirm(**choice)
        return self.wait(job["id"], on_progress=on_progress, patience_seconds=patience_seconds)

    def list(self, **query: Unpack[ListJobsQuery]) -> Page[Job]:
        """Newest first."""
        return self._transport.page(Job, "/bulk/jobs", query)

    def get(self, job_id: str, *, wait_seconds: int | None = None, for_: Literal["change", "end"] | None = None) -> Job:
        """With `wait_seconds` (at most 30), responds when the job changes, or with `for_="end"` has ended."""
        query = given(wait=wait_seconds, for_=for_)
        return self._transport.get(Job, path_of(job_id), query, extra_seconds=wait_seconds or 0)

    def wait(
        self,
        job_id: str,
        *,
        on_progress: Callable[[Job], None] | None = None,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> Job:
        """Returns when the job is completed, failed or cancelled. Survives restarts of the service."""
        follow = self._follow(job_id, "change" if on_progress else "end", patience_seconds)
        for job in follow:
            if on_progress:
                on_progress(job)
        return job

    def events(self, job_id: str, *, patience_seconds: float = PATIENCE_SECONDS) -> Iterator[Job]:
        """Yields the job now, at changes and at the end; otherwise like `wait`."""
        return self._follow(job_id, "change", patience_seconds)

    def _follow(self, job_id: str, event: Literal["change", "end"], patience_seconds: float) -> Iterator[Job]:
        patience = Patience(patience_seconds)
        seen: Job | None = None
        while seen is None or seen["status"] not in FINAL_STATUSES:
            try:
                job = self.get(job_id, wait_seconds=WAIT_SECONDS if seen else None, for_=event)
            except MailvetError as error:
                delay = patience.delay_after(error)
                if delay is None:
                    raise
                sleep(delay)
                continue
            patience.reset()
            if job != seen:
                yield job
            seen = job

    def results(self, job_id: str, **query: Unpack[GetJobResultsQuery]) -> Iterator[JobResult]:
        """Results, one per row with an email, also while the job runs; fetched page by page.

        For a large file, `download(format="ndjson")` needs one request only. Sorted by score or
        checked_at they are refused while the job runs, because rows change their place.
        """
        limit = query.setdefault("limit", PAGE_SIZE)
        if query.get("sort", "row").lstrip("-") in ("score", "checked_at"):
            query["final"] = True
        while True:
            page = self._transport.page(JobResult, path_of(job_id, "/results"), query, is_patient=True)
            last = page.items[-1].get("cell", page.items[-1]["row"]) if page.items else None
            if last is not None and last == query.get("after_row"):
                raise MailvetUnreachable("invalid_response", f"The service ignores after_row: {last}")
            for result in page.items:
                yield result
            if last is None or len(page) < limit:
                return
            query.pop("skip", None)
            query["after_row"] = last

    def result(self, job_id: str, row: int) -> ValidationResult:
        """The whole result of a row, as `validate` returns it, from what was stored; costs nothing.

        In a job with several email columns, `row` is the `cell` of a result.
        """
        return self._transport.get(ValidationResult, path_of(job_id, f"/results/{row}"))

    def download(self, job_id: str, **query: Unpack[DownloadJobQuery]) -> Download:
        """The rows of the file with their verdicts, as a stream. Default: CSV."""
        return self._transport.download(path_of(job_id, "/download"), query)

    def recheck(self, job_id: str, *, idempotency_key: str | None = None, **request: Unpack[RecheckRequest]) -> Job:
        """Checks results of a completed job again. An `unknown` of the last 24 hours is free."""
        return self._transport.post(Job, path_of(job_id, "/recheck"), request, idempotency_key=idempotency_key)

    def cancel(self, job_id: str) -> Job:
        return self._transport.post(Job, path_of(job_id, "/cancel"))

    def pause(self, job_id: str) -> Job:
        return self._transport.post(Job, path_of(job_id, "/pause"))

    def resume(self, job_id: str) -> Job:
        return self._transport.post(Job, path_of(job_id, "/resume"))

    def finish(self, job_id: str) -> Job:
        """Completes the job with the results it has; what was not checked is unknown, and not charged.

        The job that is returned is in the phase "finishing": wait() follows it to its end.
        """
        return self._transport.post(Job, path_of(job_id, "/finish"))

    def delete(self, job_id: str) -> None:
        """Permanently deletes the file and its results."""
        self._transport.delete(path_of(job_id))


def path_of(job_id: str, part: str = "") -> str:
    return f"/bulk/jobs/{segment(job_id)}{part}"


class Lists:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self) -> list[SavedList]:
        """Newest first."""
        return self._transport.get(list[SavedList], "/lists")

    def create(self, **saved: Unpack[CreateListRequest]) -> SavedList:
        """Keeps a completed job as a list."""
        return self._transport.post(SavedList, "/lists", saved)

    def get(self, list_id: str) -> SavedList:
        return self._transport.get(SavedList, list_path(list_id))

    def changes(self, list_id: str) -> list[ListChange]:
        """Rows whose status changed in the last run."""
        return self._transport.get(list[ListChange], list_path(list_id, "/changes"))

    def update(self, list_id: str, **changes: Unpack[UpdateListRequest]) -> SavedList:
        return self._transport.patch(SavedList, list_path(list_id), changes)

    def delete(self, list_id: str) -> None:
        """Ends the schedule; the job expires after the retention."""
        self._transport.delete(list_path(list_id))


def list_path(list_id: str, part: str = "") -> str:
    return f"/lists/{segment(list_id)}{part}"
