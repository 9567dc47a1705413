"""Requests and answers, as HTTP has them."""

import json
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Tuple, Union

from rollbook.instant import Instant


Header = Tuple[str, str]
"""A header: its name, in any case, and its value."""

Headers = Union[Mapping[str, str], Iterable[Header]]
"""Headers of a request: a mapping, or pairs of name and value."""


class Request(NamedTuple):
    """A request as an HTTP client sends it (section 4)."""

    target: str
    """Path and query string, beginning with ``/api/v1/`` or ``/api/v2/``."""
    method: str = "GET"
    """The method, in upper case."""
    headers: Headers = ()
    """Every request needs ``HTTP-X-USERNAME`` and ``HTTP-X-PASSWORD``, most of v2
    ``HTTP-X-SCHOOLID`` as well. If a name stands several times, the last counts."""
    body: Union[str, bytes] = b""
    """Empty for all but PATCH and POST."""
    now: Optional[Instant] = None
    """The instant to answer for; the engine's clock unless given."""

    def __repr__(self) -> str:
        """The request without the value of ``HTTP-X-PASSWORD``."""
        headers: Any = self.headers
        if isinstance(headers, Mapping):
            headers = list(headers.items())
        # What can be walked only once is left for the request.
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
    """An answer: what the service would send."""

    status: int
    """The HTTP status code."""
    body: bytes
    """The body: compact JSON in UTF-8, as it lies in the store. Of a store that is
    damaged it may be no UTF-8, and then ``text`` and ``json`` raise a ValueError."""
    allow: Optional[str] = None
    """The methods that the path takes, if another was tried."""

    @property
    def headers(self) -> Tuple[Header, ...]:
        """Content type and length, and ``Allow`` if the path does not take the
        method."""
        headers = (_CONTENT_TYPE, ("Content-Length", str(len(self.body))))
        return headers if self.allow is None else (*headers, ("Allow", self.allow))

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()

    def json(self) -> Any:
        """The body as Python has it; :mod:`rollbook.records` has the types."""
        return json.loads(self.body)


_CONTENT_TYPE = ("Content-Type", "application/json; charset=utf-8")


class Upgrade(NamedTuple):
    """The v2 request for the data of a v1 one (section 9)."""

    target: str
    """Path and query string, beginning with ``/api/v2/``."""
    headers: Tuple[Header, ...]
    """The headers that v2 needs beside the credentials."""
