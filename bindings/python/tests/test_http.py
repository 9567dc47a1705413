"""HTTP clients of apps get the same answers from a transport, from the engine, and from a
server."""

import asyncio
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Dict, Iterator, List, Mapping, Optional

import async_app
import httpx
import httpx_app
import pytest
import requests
import requests_app
from exchanges import CALLS, Asked, Exchange, sent
from material import HEADERS, NOW, SAMPLE_SCHOOL
from service import serve

from rollbook import AsyncEngine, Engine
from rollbook.httpx import AsyncTransport, Transport
from rollbook.requests import Adapter

BASE = "https://integrate.example.org"


@pytest.fixture
def fresh() -> Iterator[Engine]:
    """An engine of its own with the sample schools, because the calls change records."""
    with Engine.memory(fixed_clock=NOW) as engine:
        engine.apply(SAMPLE_SCHOOL)
        yield engine


@pytest.fixture
def served() -> Iterator[str]:
    """Runs a server on this machine with the same schools, and yields its address."""
    with serve("--dataset", SAMPLE_SCHOOL) as address:
        yield address


def given(headers: Mapping[str, str]) -> Dict[str, str]:
    """Returns the headers that the engine sets, without those that a server adds."""
    known = ["content-type", "content-length", "allow"]
    return {name.lower(): value for name, value in headers.items() if name.lower() in known}


def through_httpx(transport: Optional[httpx.BaseTransport], base: str) -> List[Exchange]:
    with httpx.Client(transport=transport, base_url=base, headers=HEADERS) as http:
        return [exchanged(call(httpx_app.SchoolClient(http), *said)) for said in CALLS]


def through_async_httpx(
    transport: Optional[httpx.AsyncBaseTransport], base: str
) -> List[Exchange]:
    async def run() -> List[Exchange]:
        async with httpx.AsyncClient(
            transport=transport, base_url=base, headers=HEADERS
        ) as http:
            app = async_app.SchoolClient(http)
            return [exchanged(await call(app, *said)) for said in CALLS]

    return asyncio.run(run())


def through_requests(adapter: Optional[Adapter], base: str) -> List[Exchange]:
    with requests.Session() as session:
        session.headers.update(HEADERS)
        if adapter is not None:
            session.mount(BASE + "/", adapter)
        app = requests_app.SchoolClient(session, base)
        return [exchanged(call(app, *said)) for said in CALLS]


def call(app: Any, name: str, arguments: Dict[str, Any]) -> Any:
    return getattr(app, name)(**arguments)


def exchanged(response: Any) -> Exchange:
    if isinstance(response, httpx.Response):
        url = response.request.url.raw_path.decode()
        asked = Asked(response.request.method, url, response.request.content)
    else:
        request = response.request
        asked = Asked(request.method, request.path_url, request.body or b"")
    status = response.status_code
    return Exchange(asked, status, given(response.headers), unsigned(response.content))


def unsigned(body: bytes) -> bytes:
    """Returns an answer without its cursor, because cursors differ between stores."""
    return re.sub(rb'"next_cursor":"[^"]+"', b'"next_cursor":"..."', body)


def by_requests(engine: Engine, exchanges: List[Exchange]) -> List[Exchange]:
    """Sends the same requests to the engine directly."""
    asked = []
    for exchange in exchanges:
        method, target, body = exchange.asked
        headers = {"HTTP-X-SCHOOLID": "1000", **HEADERS}
        status, answered, content = sent(engine.request(target, method, headers, body))
        asked.append(Exchange(exchange.asked, status, given(answered), unsigned(content)))
    return asked


def twin() -> Engine:
    engine = Engine.memory(fixed_clock=NOW)
    engine.apply(SAMPLE_SCHOOL)
    return engine


def test_what_is_asked() -> None:
    asked = through_httpx(Transport(twin()), BASE)
    statuses = [exchange.status for exchange in asked]
    assert {200, 204, 400, 401, 403, 404} == set(statuses)
    assert asked[2].asked.target == "/api/v1/adminplus/learners/1000?name=zo%C3%AB+van"
    assert asked[3].asked.target.endswith(("?grade_id=8,9", "?grade_id=8%2C9"))
    paths = {exchange.asked.target.split("?")[0] for exchange in asked}
    assert len([path for path in paths if path.startswith("/api/v1/")]) >= 11


def test_httpx(fresh: Engine, served: str) -> None:
    found = through_httpx(Transport(fresh, BASE), BASE)
    assert found == by_requests(twin(), found)
    assert found == through_httpx(None, served)


def test_httpx_mounted(fresh: Engine) -> None:
    with httpx.Client(mounts={BASE: Transport(fresh)}, headers=HEADERS) as http:
        assert http.get(BASE + "/api/v1/settings/clients").status_code == 200


def test_async_httpx(fresh: Engine, served: str) -> None:
    found = through_async_httpx(AsyncTransport(fresh, BASE), BASE)
    assert found == by_requests(twin(), found)
    assert found == through_async_httpx(None, served)
    same = through_async_httpx(AsyncTransport(AsyncEngine(twin()), BASE), BASE)
    assert found == same


def test_requests(fresh: Engine, served: str) -> None:
    found = through_requests(Adapter(fresh), BASE)
    assert found == by_requests(twin(), found)
    assert found == through_requests(None, served)


class Elsewhere(BaseHTTPRequestHandler):
    """A host that is unrelated to the service."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "9")
        self.end_headers()
        self.wfile.write(b"elsewhere")

    def log_message(self, format: str, *arguments: Any) -> None:
        """Logs nothing."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/api/v1/settings/clients"
        server.shutdown()
        thread.join()


def test_other_hosts_are_asked_over_the_network(school: Engine, elsewhere: str) -> None:
    with httpx.Client(transport=Transport(school, BASE)) as http:
        assert http.get(elsewhere).text == "elsewhere"
        assert http.get(BASE + "/api/v1/settings/clients").status_code == 401
        assert http.get(BASE + ":443/api/v1/settings/clients").status_code == 401
    with requests.Session() as session:
        session.mount(BASE + "/", Adapter(school))
        assert session.get(elsewhere).text == "elsewhere"

    async def run() -> str:
        async with httpx.AsyncClient(transport=AsyncTransport(school, BASE)) as client:
            return (await client.get(elsewhere)).text

    assert asyncio.run(run()) == "elsewhere"


def test_a_transport_of_ones_own_for_other_hosts(school: Engine) -> None:
    own = httpx.MockTransport(lambda request: httpx.Response(418))
    with httpx.Client(transport=Transport(school, BASE, own)) as http:
        assert http.get("https://integrate.example.org.example.com/").status_code == 418
        assert http.get("http://integrate.example.org/").status_code == 418


@pytest.mark.parametrize("address", ["", "integrate.example.org", BASE + "/api", BASE + "?x"])
def test_what_is_no_base_address(school: Engine, address: str) -> None:
    with pytest.raises(ValueError, match="give only scheme and host"):
        Transport(school, address)


TARGETS = [
    "/api/v1/adminplus/learners/1000?name=a%20b",
    "/api/v1/adminplus/learners/1000?name=a+b&name=zo%c3%ab",
    "/api/v1/adminplus/learners/1000/",
    "/api/v1/adminplus/learners/1000?",
    "/api/v1/adminplus/learners/%31000",
    "/api/v1//adminplus/learners/1000",
    "/elsewhere",
]


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_is_not_rewritten(school: Engine, served: str, target: str) -> None:
    expected = school.request(target, headers=HEADERS).body
    with httpx.Client(transport=Transport(school, BASE), headers=HEADERS) as http:
        assert http.get(BASE + target).content == expected
    with httpx.Client(headers=HEADERS) as http:
        assert http.get(served + target).content == expected
    with requests.Session() as session:
        session.mount(BASE + "/", Adapter(school))
        assert session.get(BASE + target, headers=HEADERS).content == expected


def test_headers_in_their_order(school: Engine) -> None:
    last_counts = [
        ("http-x-username", "nobody"),
        ("HTTP-X-USERNAME", "demo"),
        ("HTTP-X-PASSWORD", "demo"),
    ]
    with httpx.Client(transport=Transport(school, BASE)) as http:
        path = BASE + "/api/v1/settings/clients"
        assert http.get(path, headers=last_counts).status_code == 200
        assert http.get(path, headers=last_counts[::-1]).status_code == 401


BODIES = [
    b"\xff\xfe",
    b'{"state":1,"api_type_id":"\xff"}',
    b"",
    '{"state":1,"api_type_id":8,"note":"zoë"}'.encode(),
]


@pytest.mark.parametrize("body", BODIES)
def test_any_body(school: Engine, served: str, body: bytes) -> None:
    path = "/api/v1/settings/clients/1000"
    with httpx.Client(headers=HEADERS) as http:
        expected = exchanged(http.patch(served + path, content=body))
    with httpx.Client(transport=Transport(school, BASE), headers=HEADERS) as http:
        assert exchanged(http.patch(BASE + path, content=body)) == expected
        pieces = iter([body[:1], body[1:]])
        assert http.patch(BASE + path, content=pieces).content == expected.body
    with requests.Session() as session:
        session.headers.update(HEADERS)
        session.mount(BASE + "/", Adapter(school))
        assert session.patch(BASE + path, data=body).content == expected.body
        pieces = iter([body[:1], body[1:]])
        assert session.patch(BASE + path, data=pieces).content == expected.body


def test_head_and_a_wrong_method(school: Engine, served: str) -> None:
    path = "/api/v1/adminplus/learners/1000"
    for method in ["HEAD", "DELETE"]:
        with httpx.Client(headers=HEADERS) as http:
            expected = exchanged(http.request(method, served + path))
        assert expected.headers["allow"] == "GET"
        with httpx.Client(transport=Transport(school, BASE), headers=HEADERS) as http:
            assert exchanged(http.request(method, BASE + path)) == expected
        with requests.Session() as session:
            session.mount(BASE + "/", Adapter(school))
            answer = session.request(method, BASE + path, headers=HEADERS)
            assert given(answer.headers) == expected.headers
            assert answer.content == expected.body


def test_a_client_may_be_closed_and_the_engine_is_open(school: Engine) -> None:
    with httpx.Client(transport=Transport(school, BASE)):
        pass
    with requests.Session() as session:
        session.mount(BASE + "/", Adapter(school))
    assert school.stats().records["school"] == 2
