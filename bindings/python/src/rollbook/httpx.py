"""Integration with `HTTPX <https://www.python-httpx.org>`_: transports that answer requests from
an engine instead of the network, and functions that sync a school and follow a server.

An app's own client only needs another transport::

    httpx.Client(transport=Transport(engine, "https://integrate.example.org"))
    httpx.Client(mounts={"https://integrate.example.org": Transport(engine)})
"""

import asyncio
from typing import Any, Dict, Optional, Union

import httpx

from rollbook import _exchange, _feed_client, _sync_driver
from rollbook._blocking_calls import run_blocking
from rollbook._native_calls import NotCopyable
from rollbook._sync_driver import Body, CallResult, Service, SyncListener
from rollbook.async_engine import AsyncEngine, AsyncSync
from rollbook.dataset import Listener
from rollbook.engine import Engine
from rollbook.follow import FollowStopped
from rollbook.message import Answer, Request
from rollbook.report import Summary
from rollbook.sync import (
    Call,
    CallFailure,
    Done,
    Reply,
    Send,
    Stop,
    Sync,
    SyncReport,
    SyncStopped,
)

__all__ = [
    "AsyncTransport",
    "Transport",
    "follow_from",
    "follow_from_async",
    "sync_with",
    "sync_with_async",
]


class Transport(NotCopyable, httpx.BaseTransport):
    """Answers the requests to a base address from an engine.

    ``base_address`` consists of the scheme and the host of the service, and the port if it is not
    the default. Without it, the engine answers every request. Requests to other hosts are passed
    to ``otherwise``, which is the network by default. Closing the transport does not close the
    engine.
    """

    def __init__(
        self,
        engine: Engine,
        base_address: Optional[str] = None,
        otherwise: Optional[httpx.BaseTransport] = None,
    ) -> None:
        self._engine = engine
        self._base = _base(base_address)
        self._otherwise = otherwise

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Called by the client."""
        if not _is_for_engine(self._base, request.url):
            if self._otherwise is None:
                self._otherwise = httpx.HTTPTransport()
            return self._otherwise.handle_request(request)
        body = request.read()
        return _response(request, self._engine.request(*_convert_request(request, body)))

    def close(self) -> None:
        """Closes the transport of the requests to other hosts."""
        if self._otherwise is not None:
            self._otherwise.close()


class AsyncTransport(NotCopyable, httpx.AsyncBaseTransport):
    """:class:`Transport` for :class:`httpx.AsyncClient`, on asyncio."""

    def __init__(
        self,
        engine: Union[AsyncEngine, Engine],
        base_address: Optional[str] = None,
        otherwise: Optional[httpx.AsyncBaseTransport] = None,
    ) -> None:
        self._engine = AsyncEngine(engine) if isinstance(engine, Engine) else engine
        self._base = _base(base_address)
        self._otherwise = otherwise

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Called by the client."""
        if not _is_for_engine(self._base, request.url):
            if self._otherwise is None:
                self._otherwise = httpx.AsyncHTTPTransport()
            return await self._otherwise.handle_async_request(request)
        body = await request.aread()
        return _response(request, await self._engine.request(*_convert_request(request, body)))

    async def aclose(self) -> None:
        """Closes the transport of the requests to other hosts."""
        if self._otherwise is not None:
            await self._otherwise.aclose()


def _base(address: Optional[str]) -> Optional[httpx.URL]:
    if address is None:
        return None
    base = httpx.URL(address)
    if not base.host or base.raw_path != b"/":
        raise ValueError(
            f"{address!r} is not a base address: give only scheme and host, such as"
            " 'https://integrate.example.org'"
        )
    return base


def _is_for_engine(base: Optional[httpx.URL], url: httpx.URL) -> bool:
    if base is None:
        return True
    return (base.scheme, base.host, base.port) == (url.scheme, url.host, url.port)


def _convert_request(request: httpx.Request, body: bytes) -> Request:
    target = request.url.raw_path.decode("ascii")
    return _exchange.request(request.method, target, request.headers.raw, body)


def _response(request: httpx.Request, given: Answer) -> httpx.Response:
    answer = _exchange.answer(request.method, given)
    return httpx.Response(
        answer.status, headers=list(answer.headers), stream=httpx.ByteStream(answer.body)
    )


def sync_with(
    http: httpx.Client,
    sync: Sync,
    base_address: str,
    *,
    username: str,
    password: str,
    progress: Optional[SyncListener] = None,
) -> SyncReport:
    """Syncs a school with the service at a base address::

        report = sync_with(
            http, engine.sync(1000), "https://integrate.example.org",
            username=..., password=...,
        )

    The credentials are sent only in the headers ``HTTP-X-USERNAME`` and ``HTTP-X-PASSWORD``, and
    redirects are not followed. ``progress`` receives the progress of the sync after each reply and
    about once a second, and cancels the sync by returning False. However the sync ends, the
    replies so far are stored, and the next sync of the school continues.

    Fails as :class:`SyncStopped` if it cannot continue, for example because the credentials are
    wrong; as ``cancelled`` if the listener returned False; as ``busy`` or ``io`` if the store
    fails repeatedly. If the listener raises an exception, this function raises the same one.
    """
    service = _sync_driver.service(base_address, username, password)

    def send(call: Call) -> CallResult:
        body = Body()
        try:
            with http.stream(**_call_arguments(service, call)) as response:
                for piece in response.iter_bytes():
                    refused = body.add(piece)
                    if refused is not None:
                        return refused
            return _reply(response, body)
        except (httpx.TransportError, httpx.DecodingError) as failed:
            return _call_failure(failed)

    return _sync_driver.run_sync(sync, send, progress)


async def sync_with_async(
    http: httpx.AsyncClient,
    sync: AsyncSync,
    base_address: str,
    *,
    username: str,
    password: str,
    progress: Optional[SyncListener] = None,
) -> SyncReport:
    """:func:`sync_with` for asyncio. If its task is cancelled, the calls in flight are cancelled
    too."""
    service = _sync_driver.service(base_address, username, password)

    async def read(call: Call) -> CallResult:
        body = Body()
        async with http.stream(**_call_arguments(service, call)) as response:
            async for piece in response.aiter_bytes():
                refused = body.add(piece)
                if refused is not None:
                    return refused
        return _reply(response, body)

    async def send(call: Call) -> CallResult:
        try:
            return await asyncio.wait_for(read(call), _sync_driver.LONGEST_CALL)
        except asyncio.TimeoutError:
            return CallFailure.TIMEOUT
        except (httpx.TransportError, httpx.DecodingError) as failed:
            return _call_failure(failed)

    in_flight: Dict["asyncio.Future[CallResult]", Call] = {}
    try:
        while True:
            step = await run_blocking(_sync_driver.next_step, sync.sync)
            if isinstance(step, Send):
                in_flight[asyncio.ensure_future(send(step.call))] = step.call
                continue
            if isinstance(step, Stop):
                raise SyncStopped(step.reason, step.report)
            if isinstance(step, Done):
                return step.report
            if progress is not None and progress(await sync.progress()) is False:
                raise _sync_driver.cancelled()
            pause = _sync_driver.pause(step)
            if not in_flight:
                await asyncio.sleep(pause)
                continue
            done, _ = await asyncio.wait(
                in_flight, timeout=pause, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                call = in_flight.pop(task)
                await run_blocking(_sync_driver.pass_reply, sync.sync, call, task.result())
    finally:
        for task in in_flight:
            task.cancel()
        await asyncio.gather(*in_flight, return_exceptions=True)


def follow_from(
    http: httpx.Client,
    engine: Engine,
    url: str,
    *,
    wait: int = 0,
    progress: Optional[Listener] = None,
) -> Optional[Summary]:
    """Requests the changes since the last call from a server, once, and applies them while they
    are received::

        http = httpx.Client(headers={"Authorization": f"Bearer {token}"})
        summary = follow_from(http, engine, "https://school.example.org/feed", wait=30)

    Returns a summary of the changes, or None if nothing changed for ``wait`` seconds. If the feed
    only replaced the position, because it would soon be too old for the server, the summary
    contains no records. The client sends the app's login; redirects are not followed.
    ``progress`` receives the progress of the feed after each piece, and cancels it by returning
    False. However the call ends, complete parts are stored, and the next call continues after
    them. If the position of this store is too old for the server, the server sends everything,
    which replaces the stored records.

    Fails as :class:`FollowStopped` if the server sends no feed or the connection fails; as
    ``bad_dataset`` if the response is not a feed or its end is missing; as ``out_of_sync`` if
    another call applied a feed meanwhile; as ``diverged`` if this store differs from the server's,
    in which case the next call fetches everything again, once; as ``cancelled`` if the listener
    returned False; as ``busy`` or ``io`` if the store fails. If the listener raises an exception,
    this function raises the same one.
    """

    def ask(after: Optional[str]) -> Optional[Summary]:
        try:
            with http.stream(**_feed_arguments(after, url, wait)) as response:
                if not _feed_client.has_feed(response.status_code):
                    return None
                return _feed_client.apply_feed(engine, response.iter_bytes(), progress)
        except (httpx.TransportError, httpx.DecodingError) as failed:
            raise FollowStopped() from failed

    return ask(engine.followed())


async def follow_from_async(
    http: httpx.AsyncClient,
    engine: AsyncEngine,
    url: str,
    *,
    wait: int = 0,
    progress: Optional[Listener] = None,
) -> Optional[Summary]:
    """:func:`follow_from` for asyncio. If its task is cancelled, the request is cancelled too."""

    async def ask(after: Optional[str]) -> Optional[Summary]:
        try:
            async with http.stream(**_feed_arguments(after, url, wait)) as response:
                if not _feed_client.has_feed(response.status_code):
                    return None
                async with engine.follow() as follow:
                    async for piece in response.aiter_bytes():
                        _feed_client.report_progress(progress, await follow.push(piece))
                    return await follow.finish()
        except (httpx.TransportError, httpx.DecodingError) as failed:
            raise FollowStopped() from failed

    return await ask(await engine.followed())


def _feed_arguments(after: Optional[str], url: str, wait: int) -> Dict[str, Any]:
    return {
        "method": "GET",
        "url": _feed_client.target(url, after, wait),
        "timeout": httpx.Timeout(_sync_driver.PAUSE, read=_sync_driver.PAUSE + wait),
        "follow_redirects": False,
    }


def _call_arguments(service: Service, call: Call) -> Dict[str, Any]:
    headers = list(service.headers)
    if call.body:
        headers.append(("Content-Type", b"application/json"))
    return {
        "method": call.method,
        "url": service.url(call),
        "headers": headers,
        "content": call.body.encode() or None,
        "timeout": _sync_driver.PAUSE,
        "follow_redirects": False,
    }


def _reply(response: httpx.Response, body: Body) -> Reply:
    return Reply(response.status_code, body.whole(), response.headers.get("Retry-After"))


def _call_failure(failed: httpx.RequestError) -> CallFailure:
    if isinstance(failed, httpx.TimeoutException):
        return CallFailure.TIMEOUT
    return _sync_driver.cut(failed)
