"""An engine in place of the network, for `HTTPX <https://www.python-httpx.org>`_, a school
filled over it, and a server followed.

An app's own client runs unchanged but for its transport::

    httpx.Client(transport=Transport(engine, "https://integrate.example.org"))
    httpx.Client(mounts={"https://integrate.example.org": Transport(engine)})
"""

import asyncio
from typing import Any, Dict, Optional, Union

import httpx

from rollbook import _driving, _exchange, _following
from rollbook._awaiting import ended
from rollbook._driving import Answered, Body, Service, SyncListener
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


class Transport(httpx.BaseTransport):
    """Answers the requests to a base address by an engine.

    ``base_address`` is scheme and host of the service, with a port if need be;
    without one, every request that comes here is answered by the engine. Requests to
    other hosts go to ``otherwise``, which is the network unless given. Closing the
    transport leaves the engine open.
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
        if not _answers(self._base, request.url):
            if self._otherwise is None:
                self._otherwise = httpx.HTTPTransport()
            return self._otherwise.handle_request(request)
        body = request.read()
        return _response(request, self._engine.request(*_asked(request, body)))

    def close(self) -> None:
        """Closes the transport of the requests to other hosts."""
        if self._otherwise is not None:
            self._otherwise.close()


class AsyncTransport(httpx.AsyncBaseTransport):
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
        if not _answers(self._base, request.url):
            if self._otherwise is None:
                self._otherwise = httpx.AsyncHTTPTransport()
            return await self._otherwise.handle_async_request(request)
        body = await request.aread()
        return _response(request, await self._engine.request(*_asked(request, body)))

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
            f"{address!r} is no base address: give scheme and host alone, such as"
            " 'https://integrate.example.org'"
        )
    return base


def _answers(base: Optional[httpx.URL], url: httpx.URL) -> bool:
    if base is None:
        return True
    return (base.scheme, base.host, base.port) == (url.scheme, url.host, url.port)


def _asked(request: httpx.Request, body: bytes) -> Request:
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
    """Fills a school from the service at a base address::

        report = sync_with(
            http, engine.sync(1000), "https://integrate.example.org",
            username=..., password=...,
        )

    The credentials go into the headers ``HTTP-X-USERNAME`` and ``HTTP-X-PASSWORD`` and
    nowhere else; no redirect is followed. ``progress`` hears how far it has come, after each
    reply and about once a second, and cancels it by returning False. However it ends, what
    was taken is kept, and the next sync of the school goes on.

    Fails as :class:`SyncStopped` if it cannot go on, as with wrong credentials; as
    ``cancelled`` if the listener said so; as ``busy`` or ``io`` if the store fails again
    and again. What the listener raises comes out as it is.
    """
    service = _driving.service(base_address, username, password)

    def send(call: Call) -> Answered:
        body = Body()
        try:
            with http.stream(**_sent(service, call)) as response:
                for piece in response.iter_bytes():
                    refused = body.add(piece)
                    if refused is not None:
                        return refused
            return _reply(response, body)
        except (httpx.TransportError, httpx.DecodingError) as failed:
            return _call_failure(failed)

    return _driving.driven(sync, send, progress)


async def sync_with_async(
    http: httpx.AsyncClient,
    sync: AsyncSync,
    base_address: str,
    *,
    username: str,
    password: str,
    progress: Optional[SyncListener] = None,
) -> SyncReport:
    """:func:`sync_with` on asyncio. If its task is cancelled, the calls that are out are
    cancelled with it."""
    service = _driving.service(base_address, username, password)

    async def read(call: Call) -> Answered:
        body = Body()
        async with http.stream(**_sent(service, call)) as response:
            async for piece in response.aiter_bytes():
                refused = body.add(piece)
                if refused is not None:
                    return refused
        return _reply(response, body)

    async def send(call: Call) -> Answered:
        try:
            return await asyncio.wait_for(read(call), _driving.LONGEST_CALL)
        except asyncio.TimeoutError:
            return CallFailure.TIMEOUT
        except (httpx.TransportError, httpx.DecodingError) as failed:
            return _call_failure(failed)

    out: Dict["asyncio.Future[Answered]", Call] = {}
    try:
        while True:
            step = await ended(_driving.next_step, sync.sync)
            if isinstance(step, Send):
                out[asyncio.ensure_future(send(step.call))] = step.call
                continue
            if isinstance(step, Stop):
                raise SyncStopped(step.reason)
            if isinstance(step, Done):
                return step.report
            if progress is not None and progress(await sync.progress()) is False:
                raise _driving.cancelled()
            pause = _driving.pause(step)
            if not out:
                await asyncio.sleep(pause)
                continue
            first, _ = await asyncio.wait(
                out, timeout=pause, return_when=asyncio.FIRST_COMPLETED
            )
            for sent in first:
                await ended(_driving.hand_in, sync.sync, out.pop(sent), sent.result())
    finally:
        for sent in out:
            sent.cancel()
        await asyncio.gather(*out, return_exceptions=True)


def follow_from(
    http: httpx.Client,
    engine: Engine,
    url: str,
    *,
    wait: int = 0,
    progress: Optional[Listener] = None,
) -> Optional[Summary]:
    """Asks a server once for what changed since the last time, and takes it as it comes::

        http = httpx.Client(headers={"Authorization": f"Bearer {token}"})
        summary = follow_from(http, engine, "https://school.example.org/feed", wait=30)

    Gives what was changed here; None if nothing changed for ``wait`` seconds. A summary without
    records is one of a feed that brought a new position alone, in place of one that the server
    will forget before long. The client
    brings the app's login along; no redirect is followed. ``progress`` hears after each piece
    how far the feed has come, and cancels it by returning False. However it ends, what came to
    the end of a part is kept, and the next call goes on. If the server does not know any more
    where this store is, it sends everything, which comes in place of what is here.

    Fails as :class:`FollowStopped` if the server gives no feed or the connection fails; as
    ``bad_dataset`` if what comes is no feed or lacks its end; as ``out_of_sync`` if another
    call followed meanwhile; as ``diverged`` if this store was found to differ from the server's:
    the next call brings everything again, once; as ``cancelled`` if the listener said so; as ``busy`` or ``io`` if
    the store fails. What the listener raises comes out as it is.
    """

    def ask(after: Optional[str]) -> Optional[Summary]:
        try:
            with http.stream(**_asked_after(after, url, wait)) as response:
                if not _following.has_feed(response.status_code):
                    return None
                return _following.taken(engine, response.iter_bytes(), progress)
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
    """:func:`follow_from` on asyncio. If its task is cancelled, so is the request."""

    async def ask(after: Optional[str]) -> Optional[Summary]:
        try:
            async with http.stream(**_asked_after(after, url, wait)) as response:
                if not _following.has_feed(response.status_code):
                    return None
                async with engine.follow() as follow:
                    async for piece in response.aiter_bytes():
                        _following.hear(progress, await follow.push(piece))
                    return await follow.finish()
        except (httpx.TransportError, httpx.DecodingError) as failed:
            raise FollowStopped() from failed

    return await ask(await engine.followed())


def _asked_after(after: Optional[str], url: str, wait: int) -> Dict[str, Any]:
    return {
        "method": "GET",
        "url": _following.target(url, after, wait),
        "timeout": httpx.Timeout(_driving.PAUSE, read=_driving.PAUSE + wait),
        "follow_redirects": False,
    }


def _sent(service: Service, call: Call) -> Dict[str, Any]:
    headers = list(service.headers)
    if call.body:
        headers.append(("Content-Type", b"application/json"))
    return {
        "method": call.method,
        "url": service.url(call),
        "headers": headers,
        "content": call.body.encode() or None,
        "timeout": _driving.PAUSE,
        "follow_redirects": False,
    }


def _reply(response: httpx.Response, body: Body) -> Reply:
    return Reply(response.status_code, body.whole(), response.headers.get("Retry-After"))


def _call_failure(failed: httpx.RequestError) -> CallFailure:
    if isinstance(failed, httpx.TimeoutException):
        return CallFailure.TIMEOUT
    return _driving.cut(failed)
