"""HTTP transport to one service: sends a request, retries it where that is safe, and reads the response."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from time import sleep
from typing import TypeVar, cast

import httpx

from .._files import Upload
from .._pages import Page
from .._retry import Retries
from .._wire import (
    Request,
    api_root,
    check,
    client_headers,
    count_in,
    create_idempotency_key,
    document_in,
    has_succeeded,
    query_of,
    unreachable,
)
from ..errors import MailvetError

T = TypeVar("T")


class Transport:
    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        mode: str | None,
        timeout_seconds: float,
        retries: int,
        http: httpx.Client | None,
    ) -> None:
        self._root = api_root(base_url)
        self._headers = client_headers(api_key, mode)
        self._timeout_seconds = timeout_seconds
        self._retries = retries
        self._http = http or httpx.Client()
        self._owns_http = http is None
        self.credits_remaining: int | None = None

    def close(self) -> None:
        if self._owns_http:
            self._http.close()

    def get(
        self,
        returns: type[T],
        path: str,
        query: Mapping[str, object] | None = None,
        *,
        extra_seconds: float = 0,
    ) -> T:
        return self._document(returns, Request("GET", path, query, extra_seconds=extra_seconds))

    def page(
        self,
        item: type[T],
        path: str,
        query: Mapping[str, object] | None = None,
        *,
        is_patient: bool = False,
    ) -> Page[T]:
        document, total = self.counted(list[T], path, query, is_patient=is_patient)
        return Page(document, len(document) if total is None else total)

    def counted(
        self,
        returns: type[T],
        path: str,
        query: Mapping[str, object] | None,
        *,
        is_patient: bool = False,
    ) -> tuple[T, int | None]:
        """The document, and the number of all items from the header."""
        response = self.send(Request("GET", path, query, is_patient=is_patient))
        return cast(T, document_in(response)), count_in(response, "x-total-count")

    def post(
        self,
        returns: type[T],
        path: str,
        body: object = None,
        *,
        query: Mapping[str, object] | None = None,
        upload: Upload | None = None,
        idempotency_key: str | None = None,
        extra_seconds: float = 0,
        is_patient: bool = False,
    ) -> T:
        """Executed once, so it is retried where that may help."""
        key = idempotency_key or create_idempotency_key()
        request = Request(
            "POST",
            path,
            query,
            body,
            upload,
            extra_seconds=extra_seconds,
            idempotency_key=key,
            is_patient=is_patient,
        )
        return self._document(returns, request)

    def post_unkeyed(self, returns: type[T], path: str, body: object = None) -> T:
        """Without an Idempotency-Key, which the service does not honour there; never retried."""
        return self._document(returns, Request("POST", path, body=body))

    def patch(self, returns: type[T], path: str, body: object) -> T:
        return self._document(returns, Request("PATCH", path, body=body))

    def delete(self, path: str) -> None:
        self.send(Request("DELETE", path))

    def download(self, path: str, query: Mapping[str, object] | None = None) -> Download:
        return Download(self, Request("GET", path, query, accept="*/*"))

    def _document(self, returns: type[T], request: Request) -> T:
        return cast(T, document_in(self.send(request)))

    def send(self, request: Request, *, is_stream: bool = False) -> httpx.Response:
        timeout_seconds = self._timeout_seconds + request.extra_seconds
        count = self._retries if request.is_repeatable else 0
        retries = Retries(
            count,
            is_patient=request.is_patient,
            in_flight_seconds=timeout_seconds if count > 0 else 0,
        )
        while True:
            try:
                return self._attempt(request, timeout_seconds, is_stream)
            except MailvetError as error:
                delay = retries.delay_after(error)
                if delay is None:
                    raise
            sleep(delay)

    def _attempt(self, request: Request, timeout_seconds: float, is_stream: bool) -> httpx.Response:
        with request.upload.open() if request.upload else nullcontext(None) as files:
            try:
                response = self._http.send(
                    self._http.build_request(
                        request.method,
                        self._root + request.path,
                        params=query_of(request.query),
                        headers={**self._headers, **request.headers},
                        content=request.content,
                        files=files,
                        timeout=timeout_seconds,
                    ),
                    stream=is_stream,
                    follow_redirects=False,
                )
                if is_stream and not has_succeeded(response):
                    response.read()
            except httpx.HTTPError as error:
                raise unreachable(error) from error
        remaining = count_in(response, "x-credits-remaining")
        self.credits_remaining = self.credits_remaining if remaining is None else remaining
        check(response)
        return response


class Download:
    """A response that is read as it arrives: iterate over its bytes once, or call read() or save()."""

    def __init__(self, transport: Transport, request: Request) -> None:
        self._transport = transport
        self._request = request

    def __iter__(self) -> Iterator[bytes]:
        response = self._transport.send(self._request, is_stream=True)
        while response.status_code == 202:  # the file is being written, and each of these answers takes a while
            response.close()
            response = self._transport.send(self._request, is_stream=True)
        try:
            for chunk in response.iter_bytes():
                yield chunk
        except httpx.HTTPError as error:
            raise unreachable(error) from error
        finally:
            response.close()

    def read(self) -> bytes:
        return b"".join([chunk for chunk in self])

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes a file. It appears under its name when it is complete."""
        target = Path(path)
        part = target.with_name(f".{target.name}.part")
        try:
            with part.open("wb") as file:
                for chunk in self:
                    file.write(chunk)
            return part.replace(target)
        finally:
            part.unlink(missing_ok=True)
