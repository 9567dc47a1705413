"""A server of feeds for followers, which fails on request."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, List, Optional, Type
from urllib.parse import parse_qs, urlsplit

from rollbook import Engine, ResyncRequiredError, Scope

TOKEN = "Bearer family"


class Feeds:
    """Serves the feeds of a scope at ``/feed`` on this machine."""

    def __init__(self, engine: Engine, scope: Scope) -> None:
        self.asked: List[str] = []
        """The requested targets, in order."""
        self.cut: Optional[int] = None
        """The number of bytes of a body after which the connection is closed."""
        self.elsewhere: Optional[str] = None
        """The address to which requests are redirected."""
        self._engine, self._scope = engine, scope
        feeds = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                try:
                    feeds._answer(self)
                except ConnectionError:
                    self.close_connection = True

            def log_message(self, format: str, *arguments: Any) -> None:
                """Logs nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self.url = f"http://127.0.0.1:{self._server.server_port}/feed"

    def __enter__(self) -> "Feeds":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        raised: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.asked.append(handler.path)
        if self.elsewhere is not None:
            return _send(handler, 302, b"", Location=self.elsewhere)
        if handler.headers.get("Authorization") != TOKEN:
            return _send(handler, 401, b"{}")
        asked = parse_qs(urlsplit(handler.path).query)
        [after] = asked.get("after", [None])
        wait = int(asked.get("wait", ["0"])[0])
        try:
            with self._engine.observe_feed(self._scope) as feeds:
                feed = feeds.next(after, wait=wait)
        except ResyncRequiredError:
            return _send(handler, 409, b"{}")
        if feed is None:
            return _send(handler, 204, b"")
        self._whole(handler, "".join(feed).encode())

    def _whole(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[: self.cut])
        handler.close_connection = self.cut is not None


def _send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    if status != 204:
        handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
