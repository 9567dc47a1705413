"""An engine in place of the network, for `HTTPX <https://www.python-httpx.org>`_.

An app's own client runs unchanged but for its transport::

    httpx.Client(transport=Transport(engine, "https://integrate.example.org"))
    httpx.Client(mounts={"https://integrate.example.org": Transport(engine)})
"""

from typing import Optional, Union

import httpx

from rollbook import _exchange
from rollbook.async_engine import AsyncEngine
from rollbook.engine import Engine
from rollbook.message import Answer, Request

__all__ = ["AsyncTransport", "Transport"]


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
