"""One exchange of HTTP, answered by an engine."""

from typing import Iterable, Tuple

from rollbook.message import Answer, Request


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


def answer(method: str, given: Answer) -> Answer:
    """What comes over the wire: HTTP allows no body with status 204 and none in answer
    to HEAD."""
    if given.status == 204:
        headers = [header for header in given.headers if header[0] != "Content-Length"]
        return Answer(204, tuple(headers), b"")
    return given._replace(body=b"") if method == "HEAD" else given
