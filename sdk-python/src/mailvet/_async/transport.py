"""HTTP transport to one service: sends a request, retries it where that is safe, and reads the response."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TypeVar, cast

import httpx
from anyio import sleep

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


class AsyncTransport:
    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        mode: str | None,
        timeout_seconds: float,
        retries: int,
        http: httpx.AsyncClient | None,
    ) -> None:
        self._root = api_root(base_url)
        self._headers = client_headers(api_key, mode)
        self._timeout_seconds = timeout_seconds
        self._retries = retries
        self._http = http or httpx.AsyncClient()
        self._owns_http = http is None
        self.credits_remaining: int | None = None

    async def close(self) -> None:
        if self._owns_http:
            await self._http.aclose()

    async def get(
        self,
        returns: type[T],
        path: str,
        query: Mapping[str, object] | None = None,
        *,
        extra_seconds: float = 0,
    ) -> T:
        return await self._document(returns, Request("GET", path, query, extra_seconds=extra_seconds))

    async def page(
        self,
        item: type[T],
        path: str,
        query: Mapping[str, object] | None = None,
        *,
        is_patient: bool = False,
    ) -> Page[T]:
        document, total = await self.counted(list[T], path, query, is_patient=is_patient)
        return Page(document, len(document) if total is None else total)

    async def counted(
        self,
        returns: type[T],
        path: str,
        query: Mapping[str, object] | None,
        *,
        is_patient: bool = False,
    ) -> tuple[T, int | None]:
        """The document, and the number of all items from the header."""
        response = await self.send(Request("GET", path, query, is_patient=is_patient))
        return cast(T, document_in(response)), count_in(response, "x-total-count")

    async def post(
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
        return await self._document(returns, request)

    async def post_unkeyed(self, returns: type[T], path: str, body: object = None) -> T:
        """Without an Idempotency-Key, which the service does not honour there; never retried."""
        return await self._document(returns, Request("POST", path, body=body))

    async def patch(self, returns: type[T], path: str, body: object) -> T:
        return await self._document(returns, Request("PATCH", path, body=body))

    async def delete(self, path: str) -> None:
        await self.send(Request("DELETE", path))

    def download(self, path: str, query: Mapping[str, object] | None = None) -> AsyncDownload:
        return AsyncDownload(self, Request("GET", path, query, accept="*/*"))

    async def _document(self, returns: type[T], request: Request) -> T:
        return cast(T, document_in(await self.send(request)))

    async def send(self, request: Request, *, is_stream: bool = False) -> httpx.Response:
        timeout_seconds = self._timeout_seconds + request.extra_seconds
        count = self._retries if request.is_repeatable else 0
        retries = Retries(
            count,
            is_patient=request.is_patient,
            in_flight_seconds=timeout_seconds if count > 0 else 0,
        )
        while True:
            try:
                return await self._attempt(request, timeout_seconds, is_stream)
            except MailvetError as error:
                delay = retries.delay_after(error)
                if delay is None:
                    raise
            await sleep(delay)

    async def _attempt(self, request: Request, timeout_seconds: float, is_stream: bool) -> httpx.Response:
        with request.upload.open() if request.upload else nullcontext(None) as files:
            try:
                response = await self._http.send(
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
                    await response.aread()
            except httpx.HTTPError as error:
                raise unreachable(error) from error
        remaining = count_in(response, "x-credits-remaining")
        self.credits_remaining = self.credits_remaining if remaining is None else remaining
        check(response)
        return response


class AsyncDownload:
    """A response that is read as it arrives: iterate over its bytes once, or call read() or save()."""

    def __init__(self, transport: AsyncTransport, request: Request) -> None:
        self._transport = transport
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        response = await self._transport.send(self._request, is_stream=True)
        while response.status_code == 202:  # the file is being written, and each of these answers takes a while
            await response.aclose()
            response = await self._transport.send(self._request, is_stream=True)
        try:
            async for chunk in response.aiter_bytes():
                yield chunk
        except httpx.HTTPError as error:
            raise unreachable(error) from error
        finally:
            await response.aclose()

    async def read(self) -> bytes:
        return b"".join([chunk async for chunk in self])

    async def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes a file. It appears under its name when it is complete."""
        target = Path(path)
        part = target.with_name(f".{target.name}.part")
        try:
            with part.open("wb") as file:
                async for chunk in self:
                    file.write(chunk)
            return part.replace(target)
        finally:
            part.unlink(missing_ok=True)
