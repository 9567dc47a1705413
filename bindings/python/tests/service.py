"""The service over HTTP: an engine answers, and calls fail on request."""

import json
import os
import subprocess
import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Callable, Counter as Count, Iterator, List, Optional, Type

from exchanges import sent
from material import HEADERS, ROLLBOOK, SAMPLE_SCHOOL

from rollbook import Engine

Wrong = Callable[[int, str], Optional[str]]
"""Returns how a call fails, by its position among all calls, starting with 1, and its target."""

LOGIN_PAGE = b"<!doctype html><title>Log in to this network</title>"

LONG = 1 << 20
"""The length of a body that is too long, in bytes."""


class Service:
    """Serves the answers of an engine on this machine."""

    def __init__(
        self,
        engine: Engine,
        wrong: Wrong = lambda place, target: None,
        *,
        elsewhere: str = "",
        seconds: float = 0,
    ) -> None:
        self.asked: Count[str] = Counter()
        self.sent: List[Any] = []
        self.most = 0
        """The maximum number of simultaneous calls."""
        self._engine, self._wrong = engine, wrong
        self._elsewhere, self._seconds = elsewhere, seconds
        self._lock = threading.Lock()
        self._under_way = 0
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                service._answer(self)

            def do_PATCH(self) -> None:
                service._answer(self)

            def log_message(self, format: str, *arguments: Any) -> None:
                """Logs nothing."""

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "Service":
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
        with self._lock:
            self.asked[handler.path] += 1
            self.sent.append(dict(handler.headers.items()))
            place = len(self.sent)
            self._under_way += 1
            self.most = max(self.most, self._under_way)
        time.sleep(self._seconds)
        try:
            self._send(handler, self._wrong(place, handler.path))
        except ConnectionError:
            handler.close_connection = True
        finally:
            with self._lock:
                self._under_way -= 1

    def _send(self, handler: BaseHTTPRequestHandler, wrong: Optional[str]) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        status, headers, body = sent(
            self._engine.request(
                handler.path,
                handler.command,
                [(name, _utf8(value)) for name, value in handler.headers.items()],
                handler.rfile.read(length),
            )
        )
        if wrong == "429":
            status, headers, body = 429, {"Retry-After": "1"}, b""
        elif wrong == "500":
            status, headers, body = 500, {}, b"{}"
        elif wrong == "gone":
            status, headers, body = 410, {}, b"{}"
        elif wrong == "page":
            headers, body = {"Content-Type": "text/html"}, LOGIN_PAGE
        elif wrong == "long":
            headers, body = {}, b" " * LONG
        elif wrong == "away":
            location = self._elsewhere + handler.path
            status, headers, body = 302, {"Location": location}, b""
        if status != 204:
            headers["Content-Length"] = str(len(body))
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        if wrong == "cut":
            body = body[: len(body) // 2]
            handler.close_connection = True
        handler.wfile.write(body)


def _utf8(value: str) -> str:
    """Decodes the value of a header, which the server reads as Latin-1."""
    return value.encode("latin-1").decode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Logs nothing, because a client may close the connection during a request."""


@contextmanager
def serve(*arguments: Any) -> Iterator[str]:
    """Runs ``rollbook serve`` on the day of the sample schools, and yields its address. With
    ``--from`` it uses the credentials of the sample schools."""
    command: List[Any] = [ROLLBOOK, "serve", "--listen", "0", "--quiet", *map(str, arguments)]
    command += ["--now", "2026-05-14T08:00:00Z"]
    credentials = {"ROLLBOOK_USERNAME": "demo", "ROLLBOOK_PASSWORD": "demo"}
    environment = {**os.environ, **credentials}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip().replace("listening on ", "")
        finally:
            server.terminate()


COMPARED = [
    "/api/v1/adminplus/learners/1000?name=zo%C3%AB&include_parents=1",
    "/api/v1/adminplus/learners/1000?grade_id=8,9",
    "/api/v1/adminplus/learners/1000?learner_id=1",
    "/api/v1/adminplus/learners/1000?learner_id=2",
    "/api/v1/adminplus/learners/1000?learner_id=77",
    "/api/v1/adminplus/learners/1000?family_code=1001",
    "/api/v1/adminplus/learners/1000?status=waitlist&include_parents=1",
    "/api/v1/adminplus/learners/1000?status=nobody",
    "/api/v1/adminplus/learnerabsentees/1000?from_date=2026-04-20&to_date=2026-05-14",
    "/api/v1/adminplus/learnerdiscipline/1000?from_date=2026-05-01&to_date=2026-05-14",
    "/api/v1/currplus/learnerassessmentmarks/1000?grade_id=9",
    "/api/v1/currplus/learnerassessmentmarks/1000?grade_id=9&structure=1",
    "/api/v1/currplus/learnersubjects/1000?learner_id=1",
    "/api/v1/currplus/learnersubjectsperterm/1000?learner_id=1",
    "/api/v1/currplus/learnersubjectmarks/1000?learner_id=2",
    "/api/v1/finplus/debtmanagement/learnerparentinfo/1000?include_accountable_person=1",
    "/api/v1/finplus/debtmanagement/schooldebtors/1000?include_learners=1",
    "/api/v1/finplus/debtmanagement/schools",
    "/api/v1/settings/clients/1000",
    "/api/v2/adminplus/learners?limit=50",
    "/api/v2/adminplus/learners/1",
    "/api/v2/adminplus/learners/6",
    "/api/v2/adminplus/learners?limit=0",
    "/api/v2/adminplus/learnerabsentees?limit=50",
    "/api/v2/currplus/learnerassessmentmarks?grade_id=9",
    "/api/v2/finplus/debtmanagement/accountablepersons",
    "/api/v2/nothing/here",
]
"""Requests of an app by which the mirror is compared with the service. The sync itself sends other
requests."""

CHANGES = [
    """
    {"type":"learner","school_id":1000,"id":2,"first_name":"Janet","last_name":"Smith","grade_id":"7","family_code":"1001"}
    {"type":"learner","school_id":1000,"id":6,"deleted":true}
    {"type":"absentee","school_id":1000,"id":400001,"learner_id":1,"absent_date":"2026-05-13","absent_reason":"Illness"}
    {"type":"discipline","school_id":1000,"id":5300,"learner_id":3,"discipline_date":"2026-05-12"}
    """,
    """
    {"type":"learner","school_id":1000,"id":77,"first_name":"Käthe","last_name":"Neu","grade_id":"9"}
    {"type":"mark","school_id":1000,"assessment_id":8001,"learner_id":1,"mark":17,"dtime":"2026-05-13 10:00:00"}
    """,
]
"""Successive changes of the school, as datasets."""


def source(now: int) -> Engine:
    """Returns an engine with the first of the sample schools, which plays the service."""
    engine = Engine.memory(fixed_clock=now)
    engine.apply(SAMPLE_SCHOOL)
    engine.remove_school(1001)
    return engine


def access() -> str:
    """Returns the records of the sample's integrator, which a mirror needs to answer its requests.
    No answer of the service contains the families of API types."""
    kinds = ("api_type", "integrator", "client_integration")
    lines = SAMPLE_SCHOOL.read_text(encoding="utf-8").splitlines()
    records = [line for line in lines if line and json.loads(line)["type"] in kinds]
    return "\n".join(line for line in records if json.loads(line).get("school_id") != 1001)


def answers(engine: Engine) -> List[Any]:
    """Returns the answers by which a mirror is compared with the service."""
    headers = {"HTTP-X-SCHOOLID": "1000", **HEADERS}
    return [(target, engine.request(target, headers=headers)) for target in COMPARED]
