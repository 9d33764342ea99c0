"""The async client against a running service. It is the source of the sync one, so only what differs is shown."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from mailvet import AsyncMailvet
from mailvet.types import ValidationResult

pytestmark = pytest.mark.anyio


async def test_addresses_are_checked_concurrently() -> None:
    results: list[ValidationResult] = []

    async def check(client: AsyncMailvet, email: str) -> None:
        results.append(await client.validate(email))

    async with AsyncMailvet() as client, anyio.create_task_group() as tasks:
        for name in ("valid", "mailbox-not-found", "catch-all"):
            tasks.start_soon(check, client, f"{name}@mailvet.test")
    assert {result["status"] for result in results} == {"valid", "invalid", "risky"}


async def test_a_file_from_upload_to_download(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("email\nvalid@mailvet.test\ncatch-all@mailvet.test\n")
    seen: list[float] = []
    async with AsyncMailvet() as client:
        job = await client.jobs.run(path, on_progress=lambda job: seen.append(job["progress_percent"]))
        assert (job["status"], seen[-1]) == ("completed", 100)
        assert [result["status"] async for result in client.jobs.results(job["id"], limit=1)] == ["valid", "risky"]
        assert [result["status"] async for result in client.validate_many(["valid@mailvet.test"])] == ["valid"]
        saved = await client.jobs.download(job["id"], status="valid").save(tmp_path / "valid.csv")
        assert len(saved.read_text().splitlines()) == 2
