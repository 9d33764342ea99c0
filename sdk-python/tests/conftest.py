"""The service that the tests use is started by scripts/try-python.ts, which names it in the environment."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from stub import Stub

from mailvet import Mailvet


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def client() -> Iterator[Mailvet]:
    """Without arguments, as in MAILVET_SERVICE and MAILVET_API_KEY."""
    with Mailvet() as client:
        yield client


@pytest.fixture
def operator() -> Iterator[Mailvet]:
    """Signed in as the operator of the service."""
    with Mailvet(api_key="") as client:
        client.auth.sign_in(email=os.environ["TEST_EMAIL"], password=os.environ["TEST_PASSWORD"])
        yield client


@pytest.fixture
def stub() -> Iterator[Stub]:
    stub = Stub()
    yield stub
    stub.close()
