"""Messages signed by the reference library of the scheme."""

from __future__ import annotations

import time
from datetime import datetime, timezone

import pytest
from standardwebhooks import Webhook

from mailvet import InvalidWebhook, verify_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"type":"job.completed","timestamp":"2026-01-31T12:00:00Z","data":{"id":"1"}}'


def headers_for(body: bytes, *, secret: str = SECRET, at: float | None = None) -> dict[str, str]:
    moment = datetime.fromtimestamp(time.time() if at is None else at, timezone.utc)
    signature = Webhook(secret).sign("msg_1", moment, body.decode())
    return {
        "Webhook-Id": "msg_1",
        "Webhook-Timestamp": str(int(moment.timestamp())),
        "Webhook-Signature": f"v1,AAAA v2,x {signature}",
    }


def test_a_signed_message_is_returned() -> None:
    message = verify_webhook(BODY, headers_for(BODY), SECRET)
    assert (message["type"], message["data"]) == ("job.completed", {"id": "1"})
    assert verify_webhook(BODY.decode(), headers_for(BODY), ["whsec_b2xk", SECRET]) == message


def test_the_vector_of_the_reference_implementations() -> None:
    body = '{"test": 2432232314}'
    headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    assert verify_webhook(body, headers, SECRET, tolerance_seconds=float("inf"))
    with pytest.raises(InvalidWebhook, match="too old"):
        verify_webhook(body, headers, SECRET)


@pytest.mark.parametrize(
    ("body", "headers", "secret"),
    [
        (BODY + b" ", headers_for(BODY), SECRET),
        (BODY, headers_for(BODY, secret="whsec_b2xk"), SECRET),
        (BODY, headers_for(BODY, at=time.time() - 3600), SECRET),
        (BODY, headers_for(BODY, at=time.time() + 3600), SECRET),
        (BODY, {}, SECRET),
        (BODY, {**headers_for(BODY), "Webhook-Timestamp": "-1"}, SECRET),
        (BODY, {**headers_for(BODY), "Webhook-Timestamp": "9" * 400}, SECRET),
        (BODY, {**headers_for(BODY), "Webhook-Timestamp": "9" * 5000}, SECRET),
        (BODY, {**headers_for(BODY), "Webhook-Signature": "é"}, SECRET),
        (BODY, {**headers_for(BODY), "Webhook-Signature": "v1 v1,!"}, SECRET),
        (BODY, headers_for(BODY), "whsec_!"),
        (BODY, headers_for(BODY), "whsec_"),
        (BODY, headers_for(BODY), []),
    ],
)
def test_any_other_message_is_refused(body: bytes, headers: dict[str, str], secret: str | list[str]) -> None:
    with pytest.raises(InvalidWebhook):
        verify_webhook(body, headers, secret)
