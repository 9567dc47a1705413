"""An engine in place of the network, for `Requests <https://requests.readthedocs.io>`_.

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

from rollbook import _exchange
from rollbook.engine import Engine

__all__ = ["Adapter"]


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
