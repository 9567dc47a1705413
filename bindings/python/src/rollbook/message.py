"""Requests and answers, in the form of HTTP."""

import json
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Tuple, Union

from rollbook.instant import Instant


Header = Tuple[str, str]
"""The name of a header, in any case, and its value."""

Headers = Union[Mapping[str, str], Iterable[Header]]
"""The headers of a request, as a mapping, or as pairs of name and value."""


class Request(NamedTuple):
    """A request as an HTTP client sends it (section 4)."""

    target: str
    """The path and the query string, starting with ``/api/v1/`` or ``/api/v2/``."""
    method: str = "GET"
    """The method, in upper case."""
    headers: Headers = ()
    """The headers. Every request needs ``HTTP-X-USERNAME`` and ``HTTP-X-PASSWORD``, and most
    requests of v2 also need ``HTTP-X-SCHOOLID``. If a name occurs several times, the last value is
    used."""
    body: Union[str, bytes] = b""
    """The body, which is empty except for PATCH and POST. If it has more than 65,536 bytes, the
    request is refused with 413."""
    now: Optional[Instant] = None
    """The instant for which the request is answered. The default is the instant of the engine's
    clock."""

    def __repr__(self) -> str:
        """Returns a description of the request without the value of ``HTTP-X-PASSWORD``."""
        headers: Any = self.headers
        if isinstance(headers, Mapping):
            headers = list(headers.items())
        # Other iterables may be exhausted by one iteration, which the request needs.
        if isinstance(headers, (list, tuple)):
            headers = [_without_password(header) for header in headers]
        return (
            f"Request(target={self.target!r}, method={self.method!r}, "
            f"headers={headers!r}, body={self.body!r}, now={self.now!r})"
        )


def _without_password(header: Any) -> Any:
    name = header[0] if isinstance(header, (list, tuple)) and header else None
    return (name, "...") if str(name).lower() == "http-x-password" else header


class Answer(NamedTuple):
    """The answer to a request or a question, as the service would send it."""

    status: int
    """The HTTP status code."""
    body: bytes
    """The body: compact JSON in UTF-8. If the store is damaged, it may not be valid UTF-8; then
    ``text`` and ``json`` raise a ValueError."""
    allow: Optional[str] = None
    """The permitted methods, if the request used another one."""

    @property
    def headers(self) -> Tuple[Header, ...]:
        """The content type and the length, and ``Allow`` if the path does not permit the
        method."""
        headers = (_CONTENT_TYPE, ("Content-Length", str(len(self.body))))
        return headers if self.allow is None else (*headers, ("Allow", self.allow))

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()

    def json(self) -> Any:
        """Returns the decoded body; :mod:`rollbook.records` has its types."""
        return json.loads(self.body)


_CONTENT_TYPE = ("Content-Type", "application/json; charset=utf-8")


class Upgrade(NamedTuple):
    """The v2 request for the data of a v1 request (section 9)."""

    target: str
    """The path and the query string, starting with ``/api/v2/``."""
    headers: Tuple[Header, ...]
    """The headers that v2 needs in addition to the credentials."""
