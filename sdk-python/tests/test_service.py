"""The sync client against a running service, whose mail internet is the lab."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest
from stub import Answer, Stub

from mailvet import Mailvet, MailvetProblem, verify_webhook
from mailvet.types import Job

LIST = "name,email\nAnn,valid@mailvet.test\nBob,mailbox-not-found@mailvet.test\nCho,catch-all@mailvet.test\n"
VERDICTS = ["valid", "invalid", "risky"]


@pytest.fixture
def finished(client: Mailvet) -> Job:
    return client.jobs.run(LIST.encode())


def test_one_address(client: Mailvet) -> None:
    result = client.validate("ann@polite.example-lab.com", timeout_seconds=60)
    assert (result["status"], result["safe_to_send"]) == ("valid", True)
    assert client.validate("ann@polite.example-lab.com", level="syntax", fresh_seconds=0)["status"] == "unknown"
    assert client.credits_remaining is not None


def test_the_same_idempotency_key_is_charged_once(client: Mailvet) -> None:
    first = client.validate("valid@mailvet.test", idempotency_key="test-once")
    balance = client.credits_remaining
    assert client.validate("valid@mailvet.test", idempotency_key="test-once") == first
    assert client.account()["credits"]["balance"] == balance


def test_several_addresses(client: Mailvet) -> None:
    emails = ["valid@mailvet.test", "mailbox-not-found@mailvet.test", "VALID@mailvet.test", '"valid"@mailvet.test']
    summary = client.validate_bulk(emails[:2])
    assert (summary["valid_count"], summary["invalid_count"]) == (1, 1)
    results = list(client.validate_many(iter(emails)))
    assert [result["email"] for result in results] == emails
    assert [result["status"] for result in results] == ["valid", "invalid", "valid", "valid"]


def test_only_the_blanks_that_the_service_ignores_make_a_duplicate(client: Mailvet) -> None:
    emails = ["valid@mailvet.test\u00a0", "valid@mailvet.test\x1f", "valid@mailvet.test", " valid@mailvet.test\r\n"]
    assert [result["status"] for result in client.validate_many(emails)] == ["invalid", "invalid", "valid", "valid"]


def test_long_addresses_are_sent_in_more_requests(client: Mailvet) -> None:
    emails = [f"{'字' * 250}{number}@mailvet.test" for number in range(1000)]
    assert [result["email"] for result in client.validate_many(emails)] == emails


def test_domains(client: Mailvet) -> None:
    assert client.inspect_domain("polite.example-lab.com")["domain"] == "polite.example-lab.com"


def test_a_problem_is_an_exception(client: Mailvet) -> None:
    with pytest.raises(MailvetProblem) as raised:
        client.validate_bulk([])
    assert (raised.value.status, raised.value.code) == (422, "validation_failed")
    assert raised.value.request_id
    assert raised.value.errors
    with Mailvet(api_key="mv_live_wrong") as unknown, pytest.raises(MailvetProblem) as raised:
        unknown.account()
    assert (raised.value.status, raised.value.code) == (401, "invalid_api_key")


def test_a_file_from_upload_to_download(client: Mailvet, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(LIST)
    preview = client.jobs.upload(path)
    assert (preview["suggested_email_column"], preview["total_rows"]) == ("email", 3)
    estimate = client.jobs.estimate(upload_id=preview["upload_id"], email_column="email")
    assert estimate["credits"] == 3
    job = client.jobs.confirm(upload_id=preview["upload_id"], email_column="email")
    seen: list[str] = []
    done = client.jobs.wait(job["id"], on_progress=lambda job: seen.append(job["status"]))
    assert (done["status"], seen[-1]) == ("completed", "completed")
    assert [event["status"] for event in client.jobs.events(job["id"])] == ["completed"]

    assert [result["status"] for result in client.jobs.results(job["id"])] == VERDICTS
    first = next(iter(client.jobs.results(job["id"], limit=1, sort="-row")))
    assert first["email"] == "catch-all@mailvet.test"
    some = client.jobs.results(job["id"], status=["valid", "risky"], safe_to_send=True)
    assert [result["status"] for result in some] == ["valid"]
    assert client.jobs.result(job["id"], done["total_rows"] - 2)["email"] == "valid@mailvet.test"

    saved = client.jobs.download(job["id"], status="invalid").save(tmp_path / "invalid.csv")
    rows = list(csv.DictReader(io.StringIO(saved.read_text())))
    assert [(row["name"], row["mailvet_status"]) for row in rows] == [("Bob", "invalid")]
    lines = client.jobs.download(job["id"], format="ndjson", columns=["email", "status"]).read().splitlines()
    assert [json.loads(line)["status"] for line in lines] == VERDICTS
    assert b"".join(client.jobs.download(job["id"])).startswith(b"name,email,mailvet_status")
    client.jobs.delete(job["id"])
    with pytest.raises(MailvetProblem, match="job_not_found"):
        client.jobs.get(job["id"])


def test_every_way_to_give_a_list(client: Mailvet, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("email\nvalid@mailvet.test\n")
    with path.open("rb") as file:
        assert client.jobs.upload(file)["filename"] == "one.csv"
    assert client.jobs.upload(("named.csv", b"email\nvalid@mailvet.test\n"))["filename"] == "named.csv"
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as pipe:
        with os.fdopen(writing, "wb") as file:
            file.write(path.read_bytes())
        assert client.jobs.upload(("pipe.csv", pipe))["total_rows"] == 1
    assert client.jobs.upload([path, str(path)])["total_rows"] == 2
    job = client.jobs.run({"rows": [{"mail": "valid@mailvet.test", "n": 1}], "name": "Rows"})
    assert (job["status"], job["valid_count"]) == ("completed", 1)
    two = b"a,b\nvalid@mailvet.test,catch-all@mailvet.test\n"
    both = client.jobs.run(two, email_column="a", more_email_columns=["b"])
    assert [result["status"] for result in client.jobs.results(both["id"], limit=1)] == ["valid", "risky"]
    created = client.jobs.create(emails=["valid@mailvet.test"], metadata={"campaign": "spring"})
    assert client.jobs.wait(created["id"])["status"] == "completed"


def test_jobs_are_paused_resumed_finished_cancelled_and_rechecked(client: Mailvet, finished: Job) -> None:
    slow = [f"anna.adler{n}@snail.example-lab.com" for n in range(40)]
    job = client.jobs.create(emails=slow)
    next(event for event in client.jobs.events(job["id"]) if event["status"] == "processing")
    assert client.jobs.pause(job["id"])["status"] == "paused"
    client.jobs.resume(job["id"])
    assert client.jobs.finish(job["id"])["phase"] == "finishing"
    assert client.jobs.wait(job["id"])["status"] == "completed"
    other = client.jobs.create(emails=slow)
    client.jobs.cancel(other["id"])
    assert client.jobs.wait(other["id"])["status"] == "cancelled"
    client.jobs.recheck(finished["id"], which="risky")
    assert client.jobs.wait(finished["id"])["status"] == "completed"
    page = client.jobs.list(limit=2, status="completed")
    assert len(page) == 2
    assert page.total >= 2


def test_saved_lists(client: Mailvet, finished: Job) -> None:
    saved = client.lists.create(job_id=finished["id"], name="Customers", schedule="weekly")
    assert client.lists.get(saved["id"]) == saved
    assert client.lists.update(saved["id"], schedule=None)["schedule"] is None
    assert client.lists.changes(saved["id"]) == []
    client.lists.delete(saved["id"])
    assert saved["id"] not in [one["id"] for one in client.lists.all()]


def test_feedback(client: Mailvet) -> None:
    one = client.feedback.submit({"email": "ann@polite.example-lab.com", "outcome": "delivered"})
    assert one["received"] == 1
    assert client.feedback.submit([{"email": "bob@polite.example-lab.com", "outcome": "bounced"}])["stored"] == 1
    assert client.feedback.upload(b"email,outcome\ncho@polite.example-lab.com,bounced\n")["stored"] == 1
    assert client.feedback.report()
    client.feedback.delete_all()


def test_webhooks_are_delivered_with_a_signature(client: Mailvet, stub: Stub) -> None:
    endpoint = client.webhooks.create(url=stub.url, events=["webhook.test"])
    stub.answers = [Answer(200), Answer(200)]
    delivery = client.webhooks.test(endpoint["id"])
    received = stub.wait_for(1)[0]
    message = verify_webhook(received.body, received.headers, endpoint["secret"])
    assert message["type"] == "webhook.test"
    assert received.headers["webhook-id"] == delivery["id"]

    rotated = client.webhooks.rotate_secret(endpoint["id"])
    client.webhooks.replay(endpoint["id"], delivery["id"])
    received = stub.wait_for(2)[1]
    assert verify_webhook(received.body, received.headers, rotated["secret"]) == message
    assert client.webhooks.deliveries(endpoint["id"]).total >= 1
    assert client.webhooks.update(endpoint["id"], is_enabled=False)["is_enabled"] is False
    assert [one["id"] for one in client.webhooks.list()] == [endpoint["id"]]
    client.webhooks.remove(endpoint["id"])


def test_account_and_usage(client: Mailvet, finished: Job) -> None:
    assert client.about()["name"] == "Mailvet"
    assert client.account()["plan"] == "enterprise"
    assert client.credits(limit=1)["total"] >= 1
    assert client.credits(reference=finished["id"])["total"] == 2
    assert finished["id"] in [line["reference"] for line in client.statement(kind="job")["lines"]]
    assert client.usage(from_="2020-01-01", to="2020-01-02")["days"] == []


def test_a_session_manages_keys_and_reads_the_audit_log(operator: Mailvet) -> None:
    assert operator.auth.session()["account"]["is_operator"]
    created = operator.keys.create(name="from Python", mode="test", scopes=["validate"])
    with Mailvet(api_key=created["key"]) as sandbox:
        assert sandbox.validate("ann@example.com")["metadata"]["sandbox"]
    operator.keys.revoke(created["id"])
    assert operator.keys.list()[0]["revoked_at"]
    assert operator.audit.list(limit=1)[0]["action"] == "key.revoked"
    assert operator.audit.export().read().startswith(b"created_at,action,")
    assert operator.change_notifications(job_emails=False)["job_emails"] is False
    assert operator.notifications()["job_emails"] is False
    operator.auth.sign_out()
    with pytest.raises(MailvetProblem, match="not_signed_in"):
        operator.auth.session()


def test_an_operator_key_administers_accounts(operator: Mailvet) -> None:
    key = operator.operator.keys.create(
        name="script", scopes=["accounts:write", "accounts:read", "accounts:erase", "credits:write"]
    )
    with Mailvet(api_key=key["key"]) as script:
        opened = script.operator.open_account(email="cho@shop.example", credits=5)
        account = opened["account"]["id"]
        assert script.operator.suspend(account, "unpaid")["state"] == "suspended"
        assert script.operator.resume(account)["state"] != "suspended"
        assert script.operator.accounts(search="cho@").total == 1
        assert script.operator.grant(account, amount=3)["amount"] == 3
        script.operator.erase(account, email="cho@shop.example", reason="test")
    operator.operator.keys.revoke(key["id"])
    assert operator.operator.system()
    assert operator.operator.audit.list(limit=1)
