"""Devices that follow a server, with each of the HTTP clients."""

import asyncio
import json
import socket
import threading
import time
from io import BytesIO
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional, Set, cast
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import requests
import rollbook.httpx
import rollbook.requests
from feeds import TOKEN, Feeds
from material import NOW, SAMPLE_SCHOOL
from requests.adapters import HTTPAdapter
from service import serve

from rollbook import (
    AsyncEngine,
    BadDatasetError,
    CancelledError,
    Engine,
    Feed,
    FollowStopped,
    Learners,
    NotSyncedError,
    OutOfSyncError,
    Progress,
    ResyncRequiredError,
    SchoolInScope,
    Scope,
    Summary,
    SyncedError,
    UnsupportedError,
)

SCOPES = ("--feed", "family=1000:1,2", "--feed", "all=1000", "--feed", "none=")

FAMILY = Scope([SchoolInScope(1000, learners=[1, 2])])
BOTH = Scope([SchoolInScope(1000), SchoolInScope(1001)])

CHANGE = '{"type":"learner","school_id":1000,"id":2,"first_name":"Janet","last_name":"Naidoo"}'

Follower = Callable[..., Optional[Summary]]


def by_httpx(engine: Engine, url: str, token: str = "family", **named: Any) -> Optional[Summary]:
    with httpx.Client(headers={"Authorization": f"Bearer {token}"}) as http:
        return rollbook.httpx.follow_from(http, engine, url, **named)


def by_requests(
    engine: Engine, url: str, token: str = "family", **named: Any
) -> Optional[Summary]:
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {token}"
        return rollbook.requests.follow_from(session, engine, url, **named)


def by_async_httpx(
    engine: Engine, url: str, token: str = "family", **named: Any
) -> Optional[Summary]:
    async def run() -> Optional[Summary]:
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http:
            return await rollbook.httpx.follow_from_async(
                http, AsyncEngine(engine), url, **named
            )

    return asyncio.run(run())


followers = pytest.mark.parametrize("follow", [by_httpx, by_requests, by_async_httpx])


@pytest.fixture
def phone() -> Iterator[Engine]:
    with Engine.memory(fixed_clock=NOW) as engine:
        yield engine


@pytest.fixture
def server() -> Iterator[Engine]:
    with Engine.memory(fixed_clock=NOW) as engine:
        engine.apply(SAMPLE_SCHOOL)
        yield engine


def lines(engine: Engine) -> Set[str]:
    return set("".join(engine.export()).splitlines())


def in_scope(engine: Engine, schools: List[int]) -> Set[str]:
    """Returns the lines that a follower of complete schools stores."""
    expected = set()
    for line in lines(engine):
        record = json.loads(line)
        if record["type"] in ("integrator", "client_integration"):
            continue
        if record.get("school_id") in (None, *schools):
            expected.add(line)
    return expected


def learners(engine: Engine) -> Set[int]:
    """Returns the ids of the learners who have records."""
    records = map(json.loads, lines(engine))
    return {
        record["id"] if record["type"] == "learner" else record["learner_id"]
        for record in records
        if record["type"] == "learner" or "learner_id" in record
    }


@followers
def test_the_example_is_followed(follow: Follower, tmp_path: Path, phone: Engine) -> None:
    store, other = tmp_path / "server.redb", tmp_path / "other.redb"
    with serve("--store", store, "--dataset", SAMPLE_SCHOOL, *SCOPES) as address:
        url = address + "/feed"
        filled = follow(phone, url)
        assert filled is not None and filled.kinds["learner"].added == 2
        assert learners(phone) == {1, 2}
        position = phone.followed()
        assert position is not None
        begun = time.monotonic()
        assert follow(phone, url, wait=1) is None
        assert time.monotonic() - begun >= 1
        assert phone.followed() == position
        with pytest.raises(NotSyncedError):
            phone.ask(Learners(1000))
        with pytest.raises(SyncedError):
            phone.apply(CHANGE)
        with pytest.raises(FollowStopped, match="401: check the login") as stopped:
            follow(phone, url, "wr0ng")
        assert stopped.value.status == 401 and "wr0ng" not in repr(stopped.value)
    change = tmp_path / "change.ndjson"
    change.write_text(CHANGE)
    with serve("--store", store, "--dataset", change, *SCOPES) as address:
        url = address + "/feed"
        changed = follow(phone, url, wait=60)
        assert changed is not None
        assert (changed.total.added, changed.total.changed) == (0, 1)
        assert phone.ask(Learners(1000, learner_id=2)).json()[0]["last_name"] == "Naidoo"
        # Another login receives the whole school, and the same device then receives nothing.
        with Engine.memory(fixed_clock=NOW) as tablet:
            follow(tablet, url, "all")
            with Engine.memory(fixed_clock=NOW) as expected:
                expected.apply(SAMPLE_SCHOOL)
                expected.apply(change)
                assert lines(tablet) == in_scope(expected, [1000])
        taken = follow(phone, url, "none")
        assert taken is not None and taken.total.removed > 0
        assert learners(phone) == set()
        # Questions about a school fail if the phone no longer follows it, or never did.
        for unknown in (1000, 5):
            with pytest.raises(NotSyncedError):
                phone.ask(Learners(unknown, learner_id=2))
    follow_another_store(follow, other, phone)


def follow_another_store(follow: Follower, store: Path, phone: Engine) -> None:
    """Another store does not know the position of the phone, and sends everything."""
    before = phone.followed()
    with serve("--store", store, "--dataset", SAMPLE_SCHOOL, *SCOPES) as address:
        refilled = follow(phone, address + "/feed")
        assert refilled is not None and refilled.kinds["learner"].added == 2
    assert phone.followed() not in (None, before)
    assert phone.ask(Learners(1000, learner_id=2)).json()[0]["last_name"] != "Naidoo"


@followers
def test_a_device_that_polls_outlives_any_number_of_openings(
    follow: Follower, tmp_path: Path, phone: Engine
) -> None:
    """A server stores the changes of its last 64 openings."""
    store = tmp_path / "server.redb"
    with Engine.open(store, fixed_clock=NOW) as engine:
        engine.apply(SAMPLE_SCHOOL)
        with Feeds(engine, FAMILY) as feeds:
            follow(phone, feeds.url)
    for opening in range(66):
        with Engine.open(store, fixed_clock=NOW) as engine:
            engine.apply(f'{{"type":"grade","school_id":1001,"grade_id":{opening + 500}}}')
            with Feeds(engine, FAMILY) as feeds:
                before = phone.followed()
                moved = follow(phone, feeds.url)
                # The feed contains a position and no records.
                assert moved is not None and moved.lines == 2 and moved.kinds == {}
                assert phone.followed() != before
                assert follow(phone, feeds.url) is None
    with Engine.open(store, fixed_clock=NOW) as engine:
        engine.apply(CHANGE)
        with Feeds(engine, FAMILY) as feeds:
            changed = follow(phone, feeds.url)
    assert changed is not None and changed.lines < 10 and changed.total.changed == 1


@followers
def test_a_position_that_is_lost(follow: Follower, phone: Engine, server: Engine) -> None:
    with Feeds(server, FAMILY) as feeds:
        follow(phone, feeds.url)
    with Engine.memory(fixed_clock=NOW) as other:
        other.apply(SAMPLE_SCHOOL)
        with Feeds(other, FAMILY) as feeds:
            assert follow(phone, feeds.url) is not None
            assert ["after=" in target for target in feeds.asked] == [True]
            assert follow(phone, feeds.url) is None
            assert ["after=" in target for target in feeds.asked[1:]] == [True]


@followers
def test_a_connection_that_is_cut(follow: Follower, server: Engine) -> None:
    """Complete parts are stored, and are not sent again."""
    whole = len("".join(server.feed(BOTH)).encode())
    expected = in_scope(server, [1000, 1001])
    rests = []
    for tenth in range(1, 10):
        with Engine.memory(fixed_clock=NOW) as phone, Feeds(server, BOTH) as feeds:
            feeds.cut = whole * tenth // 10
            with pytest.raises(FollowStopped, match="the next call continues") as stopped:
                follow(phone, feeds.url)
            assert stopped.value.status is None
            feeds.cut = None
            stored = len(lines(phone))
            rest = follow(phone, feeds.url)
            assert rest is not None and rest.total.added == len(expected) - stored
            assert ("after=" in feeds.asked[1]) == (stored > 0)
            assert lines(phone) == expected
            rests.append(rest.bytes)
    assert rests[0] >= whole and rests[-1] < whole // 2


@followers
def test_a_change_ends_the_wait(follow: Follower, phone: Engine, server: Engine) -> None:
    given: List[Optional[Summary]] = []
    with Feeds(server, FAMILY) as feeds:
        follow(phone, feeds.url)
        waiting = threading.Thread(
            target=lambda: given.append(follow(phone, feeds.url + "?of=app#part", wait=60))
        )
        waiting.start()
        while len(feeds.asked) < 2:
            time.sleep(0.01)
        server.apply(CHANGE)
        waiting.join(50)
        assert given[0] is not None and given[0].total.changed == 1
        asked = parse_qs(urlsplit(feeds.asked[1]).query)
        assert asked.pop("after") != [phone.followed()]
        assert asked == {"of": ["app"], "wait": ["60"]}


def test_the_client_waits_longer_than_the_server(phone: Engine) -> None:
    waits: List[float] = []

    def answer(request: httpx.Request) -> httpx.Response:
        waits.append(request.extensions["timeout"]["read"])
        return httpx.Response(204)

    class Silent(HTTPAdapter):
        def send(self, request: Any, *given: Any, timeout: Any = None, **named: Any) -> Any:
            waits.append(timeout[1])
            response = requests.Response()
            response.status_code, response.raw = 204, BytesIO()
            return response

    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        assert rollbook.httpx.follow_from(http, phone, "http://a.example", wait=60) is None
    with requests.Session() as session:
        session.mount("http://", Silent())
        assert rollbook.requests.follow_from(session, phone, "http://a.example", wait=60) is None
    assert len(waits) == 2 and min(waits) > 60


@followers
def test_a_feed_that_is_cancelled(follow: Follower, phone: Engine, server: Engine) -> None:
    received: List[Progress] = []

    def no(progress: Progress) -> bool:
        received.append(progress)
        return False

    def raising(progress: Progress) -> None:
        raise ZeroDivisionError

    with Feeds(server, FAMILY) as feeds:
        with pytest.raises(CancelledError, match="the next call continues"):
            follow(phone, feeds.url, progress=no)
        assert received[0].bytes > 0 and len(received) == 1
        with Engine.memory() as other, pytest.raises(ZeroDivisionError):
            follow(other, feeds.url, progress=raising)
        follow(phone, feeds.url)
    assert learners(phone) == {1, 2}


def test_a_task_that_is_cancelled(phone: Engine, server: Engine) -> None:
    async def run(feeds: Feeds) -> None:
        async with httpx.AsyncClient(headers={"Authorization": TOKEN}) as http:
            engine = AsyncEngine(phone)
            follow = rollbook.httpx.follow_from_async
            await follow(http, engine, feeds.url)
            waiting = asyncio.ensure_future(follow(http, engine, feeds.url, wait=2))
            while len(feeds.asked) < 2:
                await asyncio.sleep(0.01)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting

    with Feeds(server, FAMILY) as feeds:
        asyncio.run(run(feeds))


@followers
def test_a_redirect_is_not_followed(follow: Follower, phone: Engine, server: Engine) -> None:
    with Feeds(server, FAMILY) as elsewhere, Feeds(server, FAMILY) as feeds:
        feeds.elsewhere = elsewhere.url
        with pytest.raises(FollowStopped, match="302: redirects are not followed"):
            follow(phone, feeds.url)
        assert elsewhere.asked == [] and phone.followed() is None


@followers
def test_no_server_answers(follow: Follower, phone: Engine) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(FollowStopped) as stopped:
            follow(phone, f"http://127.0.0.1:{free.getsockname()[1]}/feed")
    assert stopped.value.status is None
    with pytest.raises(ValueError, match="-1 seconds"):
        follow(phone, "http://127.0.0.1/feed", wait=-1)
    with pytest.raises(TypeError, match="0.5 seconds"):
        follow(phone, "http://127.0.0.1/feed", wait=cast(Any, 0.5))


def test_followed_by_hand(phone: Engine, server: Engine) -> None:
    assert phone.followed() is None
    with server.feed(FAMILY) as feed, phone.follow() as follow:
        assert feed.has_changes
        for piece in feed:
            assert piece.endswith("\n") and follow.push(piece.encode()).lines > 0
        assert follow.finish().kinds["learner"].added == 2
        assert phone.followed() == feed.position
    with server.feed(FAMILY, phone.followed()) as feed:
        assert not feed.has_changes
    with server.feed(BOTH) as feed:
        feed.cancel()
        assert list(feed) == []
    with pytest.raises(ResyncRequiredError):
        server.feed(FAMILY, "AAAA")
    with pytest.raises(TypeError, match="bytes"):
        phone.follow().push(piece)  # type: ignore[arg-type]
    with pytest.raises(BadDatasetError, match="line 1"):
        phone.follow().push(b"<!doctype html>\n")
    # A feed after a position cannot be applied to another store.
    server.apply(CHANGE)
    news = "".join(server.feed(FAMILY, phone.followed())).encode()
    with Engine.memory() as other, pytest.raises(OutOfSyncError):
        other.follow().push(news)
    with pytest.raises(BadDatasetError, match="the feed is incomplete"):
        cut = phone.follow()
        cut.push(news[: news.index(b"\n") + 1])
        cut.finish()
    phone.remove_school(1000)
    assert learners(phone) == set()


def test_followed_by_hand_on_asyncio(phone: Engine, server: Engine) -> None:
    async def run() -> None:
        source, device = AsyncEngine(server), AsyncEngine(phone)
        async with await source.feed(FAMILY) as feed, device.follow() as follow:
            assert feed.has_changes
            async for piece in feed:
                assert (await follow.push(piece.encode())).lines > 0
            assert (await follow.finish()).kinds["learner"].added == 2
            assert await device.followed() == feed.position
        export = await source.export(scope=FAMILY)
        assert set("".join([piece async for piece in export]).splitlines()) == lines(phone)

    asyncio.run(run())


def test_observed_feeds(server: Engine) -> None:
    with server.observe_feed(FAMILY) as feeds:
        first = feeds.poll()
        assert first is not None and first.has_changes
        after = first.position
        assert feeds.poll(after) is None
        begun = time.monotonic()
        assert feeds.next(after, wait=0.2) is None
        assert time.monotonic() - begun >= 0.2
        # The change is outside the scope.
        server.apply('{"type":"learner","school_id":1001,"id":2,"last_name":"Naidoo"}')
        assert feeds.next(after, wait=0.1) is None
        given: List[Optional[Feed]] = []
        waiting = threading.Thread(target=lambda: given.append(feeds.next(after)))
        waiting.start()
        server.apply(CHANGE)
        waiting.join(60)
        [feed] = given
        assert feed is not None and "Naidoo" in "".join(feed)
        # After an error the live feed continues, and the change is still delivered.
        server.apply(CHANGE.replace("Naidoo", "Nel"))
        with pytest.raises(ResyncRequiredError):
            feeds.next("AAAA")
        changed = feeds.next(feed.position)
        assert changed is not None and "Nel" in "".join(changed)
        assert not feeds.is_over
        ends_with(lambda: feeds.next(changed.position), feeds.cancel)
        assert feeds.is_over and feeds.poll() is None
    with pytest.raises(UnsupportedError, match="learners"):
        server.observe_feed(Scope([], kinds=["learners"]))


def test_observed_feeds_end_with_the_engine() -> None:
    with Engine.memory() as engine:
        feeds = engine.observe_feed(FAMILY)
        first = feeds.next()
        assert first is not None
        position = first.position
        first.cancel()
        ends_with(lambda: feeds.next(position), engine.close)
        assert feeds.is_over


def ends_with(waits: Callable[[], Optional[Feed]], end: Callable[[], None]) -> None:
    """Checks that a call which waits returns None when ``end`` is called."""
    given: List[Optional[Feed]] = []
    waiting = threading.Thread(target=lambda: given.append(waits()))
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    end()
    waiting.join(60)
    assert given == [None]


def test_observed_feeds_on_asyncio(server: Engine) -> None:
    async def run() -> None:
        engine = AsyncEngine(server)
        async with engine.observe_feed(FAMILY) as feeds:
            first = await feeds.next()
            assert first is not None and first.has_changes
            after = first.position
            assert await feeds.poll(after) is None
            assert await feeds.next(after, wait=0.1) is None
            waiting = asyncio.ensure_future(feeds.next(after, wait=60))
            await asyncio.sleep(0.1)
            assert not waiting.done()
            await engine.apply(CHANGE)
            feed = await waiting
            assert feed is not None and "Naidoo" in "".join([piece async for piece in feed])
            waiting = asyncio.ensure_future(feeds.next(feed.position))
            await asyncio.sleep(0.1)
            await feeds.cancel()
            assert await waiting is None and feeds.is_over

    asyncio.run(run())


def test_an_export_of_a_scope(server: Engine) -> None:
    both = set("".join(server.export(scope=BOTH)).splitlines())
    assert both == in_scope(server, [1000, 1001])
    attendance = Scope([SchoolInScope(1000)], kinds=["learner", "absentee"])
    lines_of = "".join(server.export(scope=attendance)).splitlines()
    kinds = {json.loads(line)["type"] for line in lines_of}
    assert {"learner", "absentee", "grade"} <= kinds and not {"mark", "parent"} & kinds
    with Engine.memory() as empty:
        assert list(empty.export(scope=Scope([]))) == []
    with pytest.raises(UnsupportedError, match="learners"):
        server.export(scope=Scope([], kinds=["learners"]))
    with pytest.raises(ValueError, match="credentials"):
        server.export(scope=FAMILY, credentials=True)
