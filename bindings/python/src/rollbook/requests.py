"""Integration with `Requests <https://requests.readthedocs.io>`_: an adapter that answers requests
from an engine instead of the network, and functions that sync a school and follow a server.

An app's own session only needs one more line::

    session.mount("https://integrate.example.org/", Adapter(engine))
"""

from http.client import responses
from io import BytesIO
from typing import Any, Mapping, Optional, Tuple, Union

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse
from urllib3._collections import HTTPHeaderDict

from rollbook import _exchange, _feed_client, _sync_driver
from rollbook._native_calls import NotCopyable
from rollbook._sync_driver import Body, CallResult, SyncListener
from rollbook.dataset import Listener
from rollbook.engine import Engine
from rollbook.follow import FollowStopped
from rollbook.report import Summary
from rollbook.sync import Call, CallFailure, Reply, Sync, SyncReport

__all__ = ["Adapter", "follow_from", "sync_with"]


class Adapter(NotCopyable, HTTPAdapter):
    """Answers requests from an engine: those to the address at which the adapter is mounted. The
    address should end with a slash. Otherwise it also matches hosts whose name starts with it.

    Closing the session does not close the engine.
    """

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._engine = engine

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: Union[None, float, Tuple[float, float], Tuple[float, None]] = None,
        verify: Union[bool, str] = True,
        cert: Union[None, bytes, str, Tuple[Union[bytes, str], Union[bytes, str]]] = None,
        proxies: Optional[Mapping[str, str]] = None,
    ) -> requests.Response:
        """Called by the session. The arguments that describe the connection have no effect."""
        method = request.method or "GET"
        target = self.request_url(request, None)
        pairs = request.headers.items()
        headers = [(_header_bytes(name), _header_bytes(value)) for name, value in pairs]
        asked = _exchange.request(method, target, headers, _body(request.body))
        answer = _exchange.answer(method, self._engine.request(*asked))
        raw = HTTPResponse(
            body=BytesIO(answer.body),
            headers=HTTPHeaderDict(answer.headers),
            status=answer.status,
            reason=responses.get(answer.status),
            preload_content=False,
            request_method=method,
        )
        return self.build_response(request, raw)


def sync_with(
    session: requests.Session,
    sync: Sync,
    base_address: str,
    *,
    username: str,
    password: str,
    progress: Optional[SyncListener] = None,
) -> SyncReport:
    """Syncs a school with the service at a base address, as :func:`rollbook.httpx.sync_with` does.
    Several threads use the session at once, so it must not be changed meanwhile."""
    service = _sync_driver.service(base_address, username, password)

    def send(call: Call) -> CallResult:
        body = Body()
        headers: Any = dict(service.headers)
        if call.body:
            headers["Content-Type"] = "application/json"
        try:
            with session.request(
                call.method,
                service.url(call),
                headers=headers,
                data=call.body.encode() or None,
                timeout=_sync_driver.PAUSE,
                allow_redirects=False,
                stream=True,
            ) as response:
                for piece in response.iter_content(1 << 16):
                    refused = body.add(piece)
                    if refused is not None:
                        return refused
                retry_after = response.headers.get("Retry-After")
                return Reply(response.status_code, body.whole(), retry_after)
        except requests.Timeout:
            return CallFailure.TIMEOUT
        except _CUT as failed:
            return _sync_driver.cut(failed)

    return _sync_driver.run_sync(sync, send, progress)


def follow_from(
    session: requests.Session,
    engine: Engine,
    url: str,
    *,
    wait: int = 0,
    progress: Optional[Listener] = None,
) -> Optional[Summary]:
    """Requests the changes since the last call from a server, once, and applies them while they
    are received, as :func:`rollbook.httpx.follow_from` does. The session sends the app's login."""

    def ask(after: Optional[str]) -> Optional[Summary]:
        try:
            with session.get(
                _feed_client.target(url, after, wait),
                timeout=(_sync_driver.PAUSE, _sync_driver.PAUSE + wait),
                allow_redirects=False,
                stream=True,
            ) as response:
                if not _feed_client.has_feed(response.status_code):
                    return None
                return _feed_client.apply_feed(engine, response.iter_content(1 << 16), progress)
        except (requests.Timeout, *_CUT) as failed:
            raise FollowStopped() from failed

    return ask(engine.followed())


_CUT = (
    requests.ConnectionError,
    requests.exceptions.ChunkedEncodingError,
    requests.exceptions.ContentDecodingError,
)


def _header_bytes(text: Union[str, bytes]) -> bytes:
    """Returns the name or the value of a header as the bytes that HTTP would transmit."""
    return text if isinstance(text, bytes) else text.encode("latin-1")


def _body(body: Any) -> bytes:
    if body is None:
        return b""
    if hasattr(body, "read"):
        body = body.read()
    if isinstance(body, str):
        return body.encode()
    return body if isinstance(body, bytes) else b"".join(body)
