"""An engine in place of the network, for `Requests <https://requests.readthedocs.io>`_, a
school filled over it, and a server followed.

An app's own session runs unchanged but for one line::

    session.mount("https://integrate.example.org/", Adapter(engine))
"""

from http.client import responses
from io import BytesIO
from typing import Any, Mapping, Optional, Tuple, Union

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse
from urllib3._collections import HTTPHeaderDict

from rollbook import _driving, _exchange, _following
from rollbook._driving import Answered, Body, SyncListener
from rollbook.dataset import Listener
from rollbook.engine import Engine
from rollbook.follow import FollowStopped
from rollbook.report import Summary
from rollbook.sync import Call, CallFailure, Reply, Sync, SyncReport

__all__ = ["Adapter", "follow_from", "sync_with"]


class Adapter(HTTPAdapter):
    """Answers every request that comes here by an engine; the address at which it is
    mounted says which ones do. Let that end with a slash, or it holds for hosts whose
    name only begins so as well.

    Closing the session leaves the engine open.
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
        """Called by the session. What is said of the connection has no meaning here."""
        method = request.method or "GET"
        target = self.request_url(request, None)
        headers = [(_sent(name), _sent(value)) for name, value in request.headers.items()]
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
    """Fills a school from the service at a base address, as
    :func:`rollbook.httpx.sync_with` does. The session sends from several threads at once:
    change nothing of it meanwhile."""
    service = _driving.service(base_address, username, password)

    def send(call: Call) -> Answered:
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
                timeout=_driving.PAUSE,
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
            return _driving.cut(failed)

    return _driving.driven(sync, send, progress)


def follow_from(
    session: requests.Session,
    engine: Engine,
    url: str,
    *,
    wait: int = 0,
    progress: Optional[Listener] = None,
) -> Optional[Summary]:
    """Asks a server once for what changed since the last time, and takes it as it comes, as
    :func:`rollbook.httpx.follow_from` does. The session brings the app's login along."""

    def ask(after: Optional[str]) -> Optional[Summary]:
        try:
            with session.get(
                _following.target(url, after, wait),
                timeout=(_driving.PAUSE, _driving.PAUSE + wait),
                allow_redirects=False,
                stream=True,
            ) as response:
                if not _following.has_feed(response.status_code):
                    return None
                return _following.taken(engine, response.iter_content(1 << 16), progress)
        except (requests.Timeout, *_CUT) as failed:
            raise FollowStopped() from failed

    return ask(engine.followed())


_CUT = (
    requests.ConnectionError,
    requests.exceptions.ChunkedEncodingError,
    requests.exceptions.ContentDecodingError,
)


def _sent(text: Union[str, bytes]) -> bytes:
    """A header's name or value, as it would go over the wire."""
    return text if isinstance(text, bytes) else text.encode("latin-1")


def _body(body: Any) -> bytes:
    if body is None:
        return b""
    if hasattr(body, "read"):
        body = body.read()
    if isinstance(body, str):
        return body.encode()
    return body if isinstance(body, bytes) else b"".join(body)
