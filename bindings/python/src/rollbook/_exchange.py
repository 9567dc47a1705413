"""Converts the requests of HTTP clients for an engine, and its answers for the clients."""

from typing import Iterable, NamedTuple, Tuple

from rollbook.message import Answer, Header, Request


def request(
    method: str, target: str, headers: Iterable[Tuple[bytes, bytes]], body: bytes
) -> Request:
    """Converts a request of a client. Headers that are not UTF-8 are omitted, because the service
    has no such header."""
    known = []
    for name, value in headers:
        try:
            known.append((name.decode(), value.decode()))
        except UnicodeDecodeError:
            continue
    return Request(target, method, known, body)


class Response(NamedTuple):
    """The response that a client receives."""

    status: int
    headers: Tuple[Header, ...]
    body: bytes


def answer(method: str, given: Answer) -> Response:
    """Converts an answer to a response. HTTP allows no body with the status 204, and none in the
    response to HEAD."""
    status, headers, body = given.status, given.headers, given.body
    if status == 204:
        return Response(204, tuple(pair for pair in headers if pair[0] != "Content-Length"), b"")
    return Response(status, headers, b"" if method == "HEAD" else body)
