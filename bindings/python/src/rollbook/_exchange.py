"""One exchange of HTTP, answered by an engine."""

from typing import Iterable, NamedTuple, Tuple

from rollbook.message import Answer, Header, Request


def request(
    method: str, target: str, headers: Iterable[Tuple[bytes, bytes]], body: bytes
) -> Request:
    """What a client sends, as the engine takes it. A header that is not UTF-8 is none
    that the service knows."""
    known = []
    for name, value in headers:
        try:
            known.append((name.decode(), value.decode()))
        except UnicodeDecodeError:
            continue
    return Request(target, method, known, body)


class Sent(NamedTuple):
    """What comes over the wire."""

    status: int
    headers: Tuple[Header, ...]
    body: bytes


def answer(method: str, given: Answer) -> Sent:
    """HTTP allows no body with status 204 and none in answer to HEAD."""
    status, headers, body = given.status, given.headers, given.body
    if status == 204:
        return Sent(204, tuple(pair for pair in headers if pair[0] != "Content-Length"), b"")
    return Sent(status, headers, b"" if method == "HEAD" else body)
