"""Retries, idempotency keys and errors, against an HTTP server with prepared answers."""

from __future__ import annotations

import io
import json
from datetime import datetime, timezone
from pathlib import Path

import pytest
from stub import Answer, Stub

from mailvet import AsyncMailvet, Mailvet, MailvetProblem, MailvetUnreachable
from mailvet._retry import delay_before
from mailvet._wire import seconds_until

RESULT = Answer(200, json.dumps({"email": "ann@example.com", "status": "valid"}), {"x-credits-remaining": "41"})


def problem(status: int, code: str, **headers: str) -> Answer:
    body = {"code": code, "detail": "A sentence.", "status": status, "request_id": "req-1"}
    return Answer(status, json.dumps(body), {name.replace("_", "-"): value for name, value in headers.items()})


def client_of(stub: Stub, retries: int = 3) -> Mailvet:
    return Mailvet(stub.url, "a-key", retries=retries)


def test_a_busy_service_is_asked_again_with_the_same_idempotency_key(stub: Stub) -> None:
    stub.answers = [
        problem(503, "overloaded", retry_after="0"),
        problem(429, "rate_limited", retry_after="0"),
        problem(409, "idempotency_in_flight", retry_after="0"),
        Answer(502, "<html>", {"content-type": "text/html"}),
        RESULT,
    ]
    with client_of(stub) as client:
        assert client.validate("ann@example.com")["status"] == "valid"
        assert client.credits_remaining == 41
    keys = {request.headers["idempotency-key"] for request in stub.received}
    assert len(stub.received) == 5
    assert len(keys) == 1


@pytest.mark.anyio
async def test_the_async_client_does_the_same(stub: Stub) -> None:
    stub.answers = [problem(503, "overloaded", retry_after="0"), RESULT]
    async with AsyncMailvet(stub.url, "a-key") as client:
        assert (await client.validate("ann@example.com", idempotency_key="mine"))["status"] == "valid"
    assert [request.headers["idempotency-key"] for request in stub.received] == ["mine", "mine"]


def test_two_calls_have_different_idempotency_keys(stub: Stub) -> None:
    stub.answers = [RESULT, RESULT]
    with client_of(stub) as client:
        client.validate("ann@example.com")
        client.validate("ann@example.com")
    first, second = (request.headers["idempotency-key"] for request in stub.received)
    assert first != second


@pytest.mark.parametrize(
    ("answer", "requests"),
    [
        (problem(402, "insufficient_credits"), 1),
        (problem(503, "overloaded", retry_after="61"), 1),  # too long to wait
        (problem(503, "overloaded", retry_after="0"), 2),
    ],
)
def test_what_a_retry_cannot_help_is_raised(stub: Stub, answer: Answer, requests: int) -> None:
    stub.answers = [answer] * 2
    with client_of(stub, retries=1) as client, pytest.raises(MailvetProblem) as raised:
        client.validate("ann@example.com")
    assert len(stub.received) == requests
    error = raised.value
    assert (error.status, error.detail, error.request_id) == (answer.status, "A sentence.", "req-1")


def test_a_request_that_is_not_safe_to_repeat_is_sent_once(stub: Stub) -> None:
    stub.answers = [problem(503, "overloaded", retry_after="0")]
    with client_of(stub) as client, pytest.raises(MailvetProblem):
        client.auth.sign_in(email="ann@example.com", password="secret")
    assert "idempotency-key" not in stub.received[0].headers


def test_a_file_is_read_again_for_a_retry_and_a_pipe_is_sent_once(stub: Stub) -> None:
    preview = Answer(200, json.dumps({"upload_id": "u"}))
    stub.answers = [problem(503, "overloaded", retry_after="0"), preview]
    file = io.BytesIO(b"email\nann@example.com\n")
    with client_of(stub) as client:
        client.jobs.upload(("people.csv", file))
    bodies = [request.body for request in stub.received]
    assert all(b"\r\n\r\nemail\nann@example.com\n\r\n" in body for body in bodies)
    assert all(b'filename="people.csv"' in body for body in bodies)

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    for refusal in (problem(503, "overloaded", retry_after="0"), problem(409, "idempotency_in_flight")):
        stub.answers = [refusal, preview]
        with client_of(stub) as client, pytest.raises(MailvetProblem):
            client.jobs.upload(Pipe(b"email\n"), idempotency_key="mine")


def test_redirects_are_not_followed_and_foreign_responses_are_named(stub: Stub) -> None:
    stub.answers = [
        Answer(302, "", {"location": "http://127.0.0.1:1/"}),
        Answer(200, "<p>", {"content-type": "text/html"}),
        Answer(200, "[" * 100_000, {"content-type": "application/json"}),
    ]
    with client_of(stub) as client:
        for reason in ("redirected", "invalid_response", "invalid_response"):
            with pytest.raises(MailvetUnreachable) as raised:
                client.account()
            assert raised.value.reason == reason


def test_a_page_instead_of_a_download_is_named(stub: Stub) -> None:
    stub.answers = [Answer(200, "<p>Sign in</p>", {"content-type": "Text/HTML"})]
    with client_of(stub) as client, pytest.raises(MailvetUnreachable) as raised:
        client.jobs.download("id").read()
    assert raised.value.reason == "invalid_response"


def test_no_connection() -> None:
    with Mailvet("http://127.0.0.1:1", "a-key", retries=0) as client, pytest.raises(MailvetUnreachable) as raised:
        client.account()
    assert raised.value.reason == "no_connection"
    assert "a-key" not in str(raised.value)


def test_an_interrupted_download_raises_and_leaves_no_file(stub: Stub, tmp_path: Path) -> None:
    stub.answers = [Answer(200, "email\n", {"content-type": "text/csv", "content-length": "1000"})]
    with client_of(stub) as client, pytest.raises(MailvetUnreachable):
        client.jobs.download("id").save(tmp_path / "results.csv")
    assert list(tmp_path.iterdir()) == []


def test_lists_are_sent_in_requests_of_a_thousand_and_spellings_are_matched(stub: Stub) -> None:
    emails = [f"u{n}@example.com" for n in range(999)] + ["U0@example.com ", '"u1"@example.com', "last@example.com"]
    first = [{"email": f"u{n}@example.com", "status": "valid"} for n in range(999)]
    second = [
        {"email": '"u1"@example.com', "status": "invalid"},
        {"email": "last@example.com", "status": "risky"},
    ]
    stub.answers = [
        Answer(200, json.dumps({"results": first})),
        Answer(200, json.dumps({"results": second})),
    ]
    with client_of(stub) as client:
        results = list(client.validate_many(emails))
    assert [result["email"] for result in results] == emails
    assert [result["status"] for result in results[-3:]] == ["valid", "invalid", "risky"]
    assert [len(json.loads(request.body)["emails"]) for request in stub.received] == [999, 2]


@pytest.mark.parametrize("url", ["", "mailvet.example.com", "ftp://x", "https://user:pass@x", "https://x?y"])
def test_a_wrong_base_url_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAILVET_SERVICE", raising=False)
    with pytest.raises(ValueError, match="base_url"):
        Mailvet(url, "a-key")


def test_delays() -> None:
    assert [delay_before(retries, 0, 0) for retries in range(7)] == [0.25, 0.5, 1, 2, 4, 8, 8]
    assert delay_before(5000, 0, 0) == 8
    assert delay_before(0, 30, 1) == 30.125
    assert delay_before(0, 61, 0) is None
    now = datetime(2026, 1, 31, 12, tzinfo=timezone.utc)
    assert seconds_until("Sat, 31 Jan 2026 12:00:07 GMT", now) == 7
    assert seconds_until("7", now) == 7
    assert seconds_until("soon", now) is None
    assert seconds_until(f"Sat, 31 Jan {'9' * 20} 12:00:07 GMT", now) is None
    for zone in ("", " -0000"):
        assert seconds_until(f"Sat, 31 Jan 2026 12:00:07{zone}", now) == 7


def page_of(*rows: int) -> Answer:
    return Answer(200, json.dumps([{"row": row} for row in rows]), {"x-total-count": "9"})


def test_results_of_a_service_that_ignores_the_cursor_end_with_an_error(stub: Stub) -> None:
    stub.answers = [page_of(1, 2), page_of(1, 2), page_of(1, 2)]
    with client_of(stub) as client:
        results = client.jobs.results("a-job", limit=2)
        assert [next(results)["row"], next(results)["row"]] == [1, 2]
        with pytest.raises(MailvetUnreachable) as raised:
            next(results)
    assert raised.value.reason == "invalid_response"
    assert len(stub.received) == 2


def test_results_are_read_in_any_order(stub: Stub) -> None:
    stub.answers = [page_of(9, 3), page_of(7, 4), page_of(5)]
    with client_of(stub) as client:
        assert [result["row"] for result in client.jobs.results("a-job", limit=2, sort="-score")] == [9, 3, 7, 4, 5]


@pytest.mark.parametrize("job_id", ["", ".", ".."])
def test_an_id_that_leads_to_another_path_is_refused(stub: Stub, job_id: str) -> None:
    with client_of(stub) as client, pytest.raises(ValueError, match="not an ID"):
        client.jobs.delete(job_id)
    assert stub.received == []
