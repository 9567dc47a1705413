"""A school that is synced with the service, with each of the HTTP clients."""

import asyncio
import socket
import threading
import time
from datetime import date
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional

import httpx
import pytest
import requests
import rollbook.httpx
import rollbook.requests
from material import HEADERS, NOW, SAMPLE_SCHOOL
from service import CHANGES, LONG, Service, access, answers, serve, source

from rollbook import (
    Absentees,
    AsyncEngine,
    BadArgumentError,
    CancelledError,
    Engine,
    Finding,
    FindingEffect,
    NotSyncedError,
    SyncedError,
    SyncProgress,
    SyncReport,
    SyncStopped,
    UnsupportedError,
    _sync_driver,
)
from rollbook.sync import (
    CallFailure,
    Done,
    FailedRequest,
    Outcome,
    RefusedState,
    Reply,
    Send,
    Stop,
    StopReason,
    UnsentState,
    Wait,
)

FROM = date(2026, 1, 1)
"""The first day of absences and discipline."""

Driver = Callable[..., SyncReport]


def by_httpx(engine: Engine, address: str, password: str = "demo", **named: Any) -> SyncReport:
    with httpx.Client() as http:
        sync = engine.sync(1000, days_from=FROM, **of_sync(named))
        return rollbook.httpx.sync_with(
            http, sync, address, username="demo", password=password, **named
        )


def by_requests(
    engine: Engine, address: str, password: str = "demo", **named: Any
) -> SyncReport:
    with requests.Session() as session:
        sync = engine.sync(1000, days_from=FROM, **of_sync(named))
        return rollbook.requests.sync_with(
            session, sync, address, username="demo", password=password, **named
        )


def by_async_httpx(
    engine: Engine, address: str, password: str = "demo", **named: Any
) -> SyncReport:
    async def run() -> SyncReport:
        async with httpx.AsyncClient() as http:
            sync = await AsyncEngine(engine).sync(1000, days_from=FROM, **of_sync(named))
            return await rollbook.httpx.sync_with_async(
                http, sync, address, username="demo", password=password, **named
            )

    return asyncio.run(run())


def of_sync(named: Any) -> Any:
    given = [name for name in ("most_in_flight", "outbox") if name in named]
    return {name: named.pop(name) for name in given}


drivers = pytest.mark.parametrize("drive", [by_httpx, by_requests, by_async_httpx])


@pytest.fixture(autouse=True)
def on_the_samples_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets the clock of the drivers to the instant for which the service answers."""
    begun = time.time()
    monkeypatch.setattr(_sync_driver, "clock", lambda: NOW + time.time() - begun)


@pytest.fixture(scope="module")
def origin() -> Iterator[Engine]:
    with source(NOW) as engine:
        yield engine


@pytest.fixture
def mirror() -> Iterator[Engine]:
    with Engine.memory(fixed_clock=NOW) as engine:
        yield engine


def is_mirror(mirror: Engine, origin: Engine) -> None:
    """Checks that the mirror answers the requests of an app as the service does."""
    mirror.apply(access())
    for found, expected in zip(unsigned(mirror), unsigned(origin)):
        assert found == expected


def unsigned(engine: Engine) -> List[Any]:
    """Returns the answers without cursors, which differ between stores."""
    return [
        (target, given.status, given.text.partition('"next_cursor":"')[0])
        for target, given in answers(engine)
    ]


@drivers
def test_the_mirror_answers_as_the_service(
    drive: Driver, mirror: Engine, origin: Engine
) -> None:
    received: List[SyncProgress] = []
    with Service(origin, seconds=0.01) as service:
        report = drive(mirror, service.address + "/", progress=received.append)
        assert 1 < service.most <= 4
        assert report.replies == len(service.sent)
        assert (report.failed, report.quarantined, report.unstable) == ([], [], [])
        assert report.findings == []
        assert received[0].answered == 0 and received[-1].answered > 10
        assert all("HTTP-X-PASSWORD" in each for each in service.sent)
        is_mirror(mirror, origin)
        coverage = mirror.synced(1000)
        assert coverage is not None and coverage.as_of is not None and coverage.as_of >= NOW
        days = next(each for each in coverage.seen if each.what == "the absences")
        assert days.first_day is not None and days.first_day <= FROM
        with pytest.raises(NotSyncedError, match="the absences"):
            mirror.ask(Absentees(1000, from_date=date(2024, 1, 1), to_date=date(2024, 1, 31)))
        # A second pass reports the answers that are unchanged.
        again = drive(mirror, service.address, most_in_flight=1)
        assert again.unchanged > 0 and again.failed == []
        is_mirror(mirror, origin)


def test_the_example_is_followed(tmp_path: Path, mirror: Engine) -> None:
    """Each driver makes a pass with simulated failures, and the school changes between passes."""
    store = tmp_path / "source.redb"
    with Engine.open(store) as school:
        school.apply(SAMPLE_SCHOOL)
        school.remove_school(1001)
    given: List[Any] = []
    for drive, changes in zip([by_httpx, by_requests, by_async_httpx], ["", *CHANGES]):
        # Only one process at a time can have the store open.
        with Engine.open(store) as school:
            school.apply(changes)
        with serve("--store", store, "--faults", 4180) as address:
            report = drive(mirror, address)
        assert (report.failed, report.quarantined, report.unstable) == ([], [], [])
        with Engine.open(store, fixed_clock=NOW) as school:
            is_mirror(mirror, school)
            given.append(unsigned(school))
    for before, after in zip(given, given[1:]):
        assert sum(old != new for old, new in zip(before, after)) > 4


@drivers
def test_one_call_at_a_time(drive: Driver, mirror: Engine, origin: Engine) -> None:
    with Service(origin, seconds=0.002) as service:
        drive(mirror, service.address, most_in_flight=1)
        assert service.most == 1


@drivers
def test_what_goes_wrong_on_the_way(
    drive: Driver, mirror: Engine, origin: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {2: "429", 4: "500", 5: "cut", 6: "page", 8: "long"}
    monkeypatch.setattr(_sync_driver, "LONGEST_BODY", LONG - 1)
    with Service(origin, lambda place, target: wrong.get(place)) as service:
        report = drive(mirror, service.address)
        assert report.failed == []
        assert len(service.sent) >= report.replies + len(wrong) - 3
    is_mirror(mirror, origin)


@drivers
def test_a_wrong_password_stops(drive: Driver, mirror: Engine, origin: Engine) -> None:
    with Service(origin) as service:
        with pytest.raises(SyncStopped, match="check the user name") as stopped:
            drive(mirror, service.address, password="s3cret")
        assert stopped.value.reason is StopReason.WRONG_CREDENTIALS
        assert "s3cret" not in repr(stopped.value)
        # The second call checks the access.
        assert list(service.asked)[1:] == ["/api/v1/settings/clients/1000"]


@drivers
def test_a_pass_without_any_answer_stops(
    drive: Driver, mirror: Engine, origin: Engine
) -> None:
    with Service(origin, lambda place, target: "gone") as service:
        with pytest.raises(SyncStopped) as stopped:
            drive(mirror, service.address)
    assert stopped.value.reason is StopReason.INCOMPLETE
    first = stopped.value.report.failed[0]
    assert (first.target, first.status) == (next(iter(service.asked)), 410)
    message = f"no answer could be fetched: {first.target} failed with status 410: {first.reason}"
    assert str(stopped.value) == message


@drivers
def test_cancelled_and_resumed(drive: Driver, tmp_path: Path, origin: Engine) -> None:
    def enough(progress: SyncProgress) -> Optional[bool]:
        return progress.answered < 8

    path = tmp_path / "mirror.redb"
    with Service(origin) as service:
        with Engine.open(path, fixed_clock=NOW) as mirror:
            with pytest.raises(CancelledError, match="the replies so far are stored"):
                drive(mirror, service.address, progress=enough)
            assert mirror.synced(1000) is None
        before = dict(service.asked)
        assert 8 <= sum(before.values()) <= 12
        with Engine.open(path, fixed_clock=NOW) as mirror:
            drive(mirror, service.address)
            is_mirror(mirror, origin)
    with Service(origin) as whole, Engine.memory(fixed_clock=NOW) as other:
        drive(other, whole.address)
        # At most the calls that were in flight are sent again.
        assert sum(service.asked.values()) <= len(whole.sent) + 4


def test_a_task_that_is_cancelled(mirror: Engine, origin: Engine) -> None:
    async def run(service: Service) -> None:
        async with httpx.AsyncClient() as http:
            sync = await AsyncEngine(mirror).sync(1000, days_from=FROM)
            driving = asyncio.ensure_future(
                rollbook.httpx.sync_with_async(
                    http, sync, service.address, username="demo", password="demo"
                )
            )
            while not service.sent:
                await asyncio.sleep(0.01)
            driving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await driving
            # None of its calls is still in flight.
            assert len(asyncio.all_tasks()) == 1

    with Service(origin, seconds=0.2) as service:
        asyncio.run(run(service))
        by_httpx(mirror, service.address)
    is_mirror(mirror, origin)


@drivers
def test_a_redirect_elsewhere_is_not_followed(
    drive: Driver, mirror: Engine, origin: Engine
) -> None:
    # The first attempt of each of these calls is redirected.
    redirected: set[str] = set()

    def away(place: int, target: str) -> Optional[str]:
        if "discipline" not in target or target in redirected:
            return None
        redirected.add(target)
        return "away"

    with Service(origin) as elsewhere:
        with Service(origin, away, elsewhere=elsewhere.address) as service:
            report = drive(mirror, service.address)
        assert elsewhere.sent == []
    assert redirected != set()
    assert report.failed == []


@drivers
def test_what_the_listener_raises_comes_out(
    drive: Driver, mirror: Engine, origin: Engine
) -> None:
    def raising(progress: SyncProgress) -> None:
        # The exception is not raised during the first call: a client that is closed while it
        # connects does not close its socket.
        if progress.answered:
            raise ZeroDivisionError

    with Service(origin) as service, pytest.raises(ZeroDivisionError):
        drive(mirror, service.address, most_in_flight=1, progress=raising)


@drivers
@pytest.mark.parametrize(
    "address",
    ["", "integrate.example.org", "ftp://a.example", "https://demo:s3cret@a.example"]
    + ["https://a.example/?s3cret", "https://a.example/#x"],
)
def test_what_is_no_base_address(drive: Driver, mirror: Engine, address: str) -> None:
    with pytest.raises(ValueError, match="give only scheme, host and path") as refused:
        drive(mirror, address)
    assert "s3cret" not in repr(refused.value)


@drivers
@pytest.mark.parametrize("password", ["s3cret\r\nX: y", "s3cret\n", " s3cret", "\0s3cret"])
def test_a_password_that_is_no_header(drive: Driver, mirror: Engine, password: str) -> None:
    with pytest.raises(ValueError, match="HTTP-X-PASSWORD cannot be sent") as refused:
        drive(mirror, "https://a.example", password=password)
    assert "s3cret" not in repr(refused.value)


@drivers
def test_a_password_in_any_script(drive: Driver, mirror: Engine, origin: Engine) -> None:
    with source(NOW) as other:
        other.apply('{"type":"integrator","username":"demo","password":"wagwoord-zoë-密"}')
        with Service(other) as service:
            report = drive(mirror, service.address, password="wagwoord-zoë-密")
    assert report.failed == []


@drivers
def test_state_updates_are_sent(drive: Driver, mirror: Engine) -> None:
    def update(state: int, kind: int) -> int:
        body = f'{{"state":{state},"api_type_id":{kind}}}'
        target = "/api/v1/settings/clients/1000"
        return mirror.request(target, "PATCH", HEADERS, body).status

    with source(NOW) as other, Service(other) as service:
        drive(mirror, service.address, outbox="demo")
        mirror.apply(access())
        # The service does not have this API type.
        mirror.apply('''
        {"type":"api_type","api_type_id":99,"family":"finance"}
        {"type":"client_integration","username":"demo","school_id":1000,"api_type_id":99}
        ''')
        assert (update(0, 10), update(1, 99)) == (200, 200)
        report = drive(mirror, service.address, outbox="demo")
        assert (report.refused, report.unsent) == ([RefusedState(99, True, 401)], [])
        bodies = [each for each in service.sent if each.get("Content-Type") == "application/json"]
        assert len(bodies) == 2
        debtors = "/api/v1/finplus/debtmanagement/schooldebtors/1000"
        assert other.request(debtors, headers=HEADERS).status == 403


def test_an_update_that_a_portal_answers_is_unsent(mirror: Engine) -> None:
    with source(NOW) as other, Service(other) as service:
        by_httpx(mirror, service.address, outbox="demo")
        mirror.apply(access())
        body = '{"state":0,"api_type_id":10}'
        target = "/api/v1/settings/clients/1000"
        assert mirror.request(target, "PATCH", HEADERS, body).status == 200
        sync = mirror.sync(1000, outbox="demo")
        step = sync.next(NOW)
        assert isinstance(step, Send) and step.call.method == "PATCH"
        page = Reply(200, b"<html>Log in</html>")
        assert sync.handle_reply(step.call.id, NOW, page).outcome is Outcome.RETRY
        assert sync.report().unsent == [UnsentState(10, False)]


def test_what_says_that_there_is_no_network() -> None:
    def raised(failed: OSError) -> httpx.ConnectError:
        try:
            try:
                raise failed
            except OSError as cause:
                raise httpx.ConnectError("") from cause
        except httpx.ConnectError as outer:
            return outer

    assert _sync_driver.cut(raised(OSError(101, "unreachable"))) is CallFailure.OFFLINE
    assert _sync_driver.cut(raised(socket.gaierror(socket.EAI_AGAIN, ""))) is CallFailure.OFFLINE
    assert _sync_driver.cut(raised(socket.gaierror(socket.EAI_NONAME, ""))) is CallFailure.CUT
    assert _sync_driver.cut(raised(ConnectionRefusedError(111, ""))) is CallFailure.CUT


def test_no_service_answers(mirror: Engine) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
        begun = time.monotonic()

        def enough(progress: SyncProgress) -> bool:
            return time.monotonic() - begun < 0.5

        for drive in (by_httpx, by_requests, by_async_httpx):
            with pytest.raises(CancelledError):
                drive(mirror, address, progress=enough)


def test_driven_by_hand(mirror: Engine, origin: Engine) -> None:
    assert mirror.synced(1000) is None
    sync = mirror.sync(1000, days_from="2026-01-01", utc_offset="+02:00", rotate=5)
    first = sync.next(NOW)
    assert isinstance(first, Send) and first.call.method == "GET" and first.call.body == ""
    assert isinstance(sync.next(NOW), Wait)
    assert sync.progress().in_flight == 1
    retry = sync.handle_failure(first.call.id, NOW, CallFailure.CUT)
    assert retry.outcome is Outcome.RETRY and retry.at is not None and retry.at > NOW
    assert sync.handle_failure(1, NOW, CallFailure.TIMEOUT).outcome is Outcome.STALE
    headers = {"HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo"}
    now, outcomes = retry.at, set()
    while True:
        step = sync.next(now)
        if isinstance(step, Wait):
            now = step.until
        elif isinstance(step, Send):
            answer = origin.request(step.call.target, headers=headers)
            reply = Reply(answer.status, answer.body)
            assert repr(reply) == f"Reply({answer.status}, {len(answer.body)} bytes, None)"
            outcomes.add(sync.handle_reply(step.call.id, now, reply).outcome)
        else:
            break
    assert isinstance(step, Done) and step.report.replies > 10
    assert outcomes == {Outcome.STORED, Outcome.UNCHANGED}
    is_mirror(mirror, origin)

    with pytest.raises(SyncedError):
        mirror.apply('{"type":"learner","school_id":1000,"id":77,"first_name":"Made up"}')
    with pytest.raises(UnsupportedError):
        sync.prioritise("/api/v1/nothing")
    with pytest.raises(UnsupportedError):
        sync.approve("/api/v1/nothing")
    with pytest.raises(UnsupportedError):
        sync.reject("/api/v1/nothing")
    # Decisions about an answer that is not quarantined have no effect.
    sync.approve(first.call.target)
    sync.reject(first.call.target)
    assert sync.quarantined() == []
    sync.prioritise(first.call.target)
    prioritised = sync.next(now)
    assert isinstance(prioritised, Send) and prioritised.call.target == first.call.target
    refused = sync.handle_reply(prioritised.call.id, now, Reply(401, b"{}"))
    assert refused.outcome is Outcome.FAILED
    # The next call checks what the 401 is about.
    check = sync.next(now)
    assert isinstance(check, Send) and check.call.target == "/api/v1/settings/clients/1000"
    sync.handle_reply(check.call.id, now, Reply(401, b"{}"))
    assert sync.next(now) == Stop(StopReason.WRONG_CREDENTIALS, sync.report())

    mirror.forget_sync(1000)
    assert mirror.synced(1000) is None
    mirror.apply('{"type":"gender","id":77,"name":"Made up"}')


def test_a_value_that_cannot_be_used(mirror: Engine, origin: Engine) -> None:
    sync = mirror.sync(1000, days_from=FROM)
    now = NOW
    while True:
        step = sync.next(now)
        if isinstance(step, Wait):
            now = step.until
        elif isinstance(step, Send):
            answer = origin.request(step.call.target, headers=HEADERS)
            body = answer.body
            if "status=current" in step.call.target:
                # The date of birth of learner 1.
                assert b"2018-01-01" in body
                body = body.replace(b"2018-01-01", b"0000-00-00")
            sync.handle_reply(step.call.id, now, Reply(answer.status, body))
        else:
            break
    assert isinstance(step, Done) and step.report.failed == []
    target = step.report.findings[0].target
    assert target.startswith("/api/v1/adminplus/learners/1000?") and "status=current" in target
    assert step.report.findings == [
        Finding("learner", "date_of_birth", FindingEffect.FIELD_EMPTY, 1, ["1"], target)
    ]


def test_options_that_are_none(mirror: Engine) -> None:
    with pytest.raises(BadArgumentError, match="days_from"):
        mirror.sync(1000, days_from="yesterday")
    with pytest.raises((BadArgumentError, UnsupportedError)):
        mirror.sync(1000, utc_offset="noon")


def test_every_reason_has_a_message() -> None:
    report = SyncReport(0, 0, [], [], [], [], [], [], [])
    for reason in StopReason:
        stopped = SyncStopped(reason, report)
        assert ": " in str(stopped) and stopped.reason is reason and stopped.report is report


def test_the_message_names_the_first_failed_request() -> None:
    failed = [FailedRequest(target, None, "ten attempts failed") for target in ("/a", "/b")]
    report = SyncReport(0, 0, failed, [], [], [], [], [], [])
    message = "no answer could be fetched: /a failed without a reply: ten attempts failed"
    assert str(SyncStopped(StopReason.INCOMPLETE, report)) == message


def test_a_sync_may_be_asked_while_it_is_driven(mirror: Engine, origin: Engine) -> None:
    with Service(origin, seconds=0.01) as service, httpx.Client() as http:
        sync = mirror.sync(1000, days_from=FROM)
        reports: List[SyncReport] = []
        driving = threading.Thread(
            target=lambda: reports.append(
                rollbook.httpx.sync_with(
                    http, sync, service.address, username="demo", password="demo"
                )
            )
        )
        driving.start()
        while sync.progress().answered < 5:
            time.sleep(0.01)
        sync.prioritise("/api/v1/currplus/learnersubjectmarks/1000?learner_id=1")
        driving.join()
    assert len(reports) == 1
