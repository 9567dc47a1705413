"""The engine: everything that is asked of it."""

import os
from types import TracebackType
from typing import Any, Iterable, List, Optional, Tuple, Type, Union

from rollbook import _crossing, _direct
from rollbook import sync as _sync
from rollbook._crossing import called
from rollbook.dataset import Dataset, Listener, heard, loaded, pieces, whole
from rollbook.export import Export
from rollbook.follow import Feed, Follow, Scope, native_scope
from rollbook.instant import Instant, seconds
from rollbook.live_feed import LiveFeed
from rollbook.load import Load
from rollbook.message import Answer, Header, Headers, Request, Upgrade
from rollbook.observe import Observable
from rollbook.question import Day, Question
from rollbook.report import Fault, Stats, Summary, Verification
from rollbook.sync import Coverage, Sync

_native = _crossing.native


class Engine(Observable, _crossing.Held):
    """A school administration system's integration API over a store on this device.

    Give it a school's data as a dataset, ask it the requests of the service, and it
    answers with the exact JSON of v1 or v2, every rule included. It may be used from
    several threads at once; every call blocks until it is done, most for
    microseconds, and lets other threads run meanwhile.

    Open one by :meth:`open` or :meth:`memory`. As a context manager it is closed at
    the end; an engine that nobody refers to any more gives its file back too.
    """

    def __init__(self) -> None:
        raise TypeError("open an engine by Engine.open(path) or Engine.memory()")

    @classmethod
    def open(
        cls,
        path: Union[str, "os.PathLike[str]"],
        *,
        cache_bytes: Optional[int] = None,
        fixed_clock: Optional[Instant] = None,
        page_limit: Optional[int] = None,
        max_page_limit: Optional[int] = None,
        journal_bytes: Optional[int] = None,
    ) -> "Engine":
        """Opens the store in a file, and makes one where nothing is.

        ``cache_bytes`` is for what was read of the store: 256 MiB unless given. It
        fills as data is read.
        ``fixed_clock`` is a clock that stands still; the system's clock unless
        given. ``page_limit`` is how many records a page of v2 has where a request
        says nothing, 10 unless given, and ``max_page_limit`` how many at most, 50
        unless given. ``journal_bytes`` is for what was changed, by school, so that
        other stores can follow: 1 MiB unless given, and 0 for none.

        A process that is forked opens a store of its own: of an engine that it
        inherits it reads what lies in memory, and every other call fails as
        ``unsupported``.

        Fails as ``already_open`` if an engine holds it, here or in another process;
        as ``not_a_store``, ``newer_format`` or ``corrupt`` if it cannot be read; as
        ``unsupported`` if the limits do not fit. Every change fails as ``missing``
        once the file is no longer at the path; questions, an export and a backup
        still see what is open.
        """
        options = _options(cache_bytes, fixed_clock, page_limit, max_page_limit, journal_bytes)
        return cls._over(called(_native.Engine.open, os.fspath(path), options))

    @classmethod
    def memory(
        cls,
        *,
        cache_bytes: Optional[int] = None,
        fixed_clock: Optional[Instant] = None,
        page_limit: Optional[int] = None,
        max_page_limit: Optional[int] = None,
        journal_bytes: Optional[int] = None,
    ) -> "Engine":
        """Opens an empty store that lives in memory and goes with the engine. The
        options are those of :meth:`open`; the cache takes 32 MiB at most."""
        options = _options(cache_bytes, fixed_clock, page_limit, max_page_limit, journal_bytes)
        return cls._over(called(_native.Engine.memory, options))

    @classmethod
    def _over(cls, native: Any) -> "Engine":
        engine = cls.__new__(cls)
        engine._native = native
        engine._address = native.address()
        return engine

    _native: Any
    _address: int

    def request(
        self,
        target: str,
        method: str = "GET",
        headers: Headers = (),
        body: Union[str, bytes] = b"",
        now: Optional[Instant] = None,
    ) -> Answer:
        """Answers a request as the service does, rules of access included.

        ``target`` is path and query string, beginning with ``/api/v1/`` or
        ``/api/v2/``. Every request needs the headers ``HTTP-X-USERNAME`` and
        ``HTTP-X-PASSWORD``, most of v2 ``HTTP-X-SCHOOLID`` as well; if a name stands
        several times, the last counts. ``now`` is the instant to answer for; the
        engine's clock unless given.

        If the store fails or the engine is suspended or closed, the answer is a 500
        that says so.
        """
        asked = _direct.request(target, method, headers, body, now)
        return _direct.answered(self._address, _direct.REQUEST + asked)

    def requests(self, requests: Iterable[Request]) -> List[Answer]:
        """Answers several requests, one after the other: to cross the language
        boundary costs more than most answers."""
        return _direct.all_answered(self._address, [_direct.request(*each) for each in requests])

    def ask(self, question: Question, now: Optional[Instant] = None) -> Answer:
        """Answers a question of an app that is trusted: no credentials, no
        authorisation, no activation. The body is that of v1's answer to a request
        which has passed them. ``now`` is the instant to answer for; the engine's
        clock unless given.

        What the API refuses or does not find is an answer. Fails as ``suspended`` or
        ``closed``; as ``io`` or ``corrupt`` if the store fails; as ``bad_argument``
        if a text is no date.
        """
        rest = _direct.NONE if now is None else _direct.instant(now)
        return _direct.answered(self._address, question._asked(_direct.ASK, rest))

    def page(
        self,
        question: Question,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        reverse_order: bool = False,
        now: Optional[Instant] = None,
    ) -> Answer:
        """Answers one page of a question as v2 does (section 9, item 3); otherwise as
        :meth:`ask`.

        ``cursor`` is the ``next_cursor`` of the page before; none for the first
        page. ``limit`` is the most records: the engine's default unless given, and
        at most the engine's maximum. ``reverse_order`` gives the last record first.
        """
        page = _optional_text(cursor) + _optional_number(limit) + _direct.flag(reverse_order)
        rest = page + _direct.instant(now)
        return _direct.answered(self._address, question._asked(_direct.PAGE, rest))

    def find(self, question: Question, now: Optional[Instant] = None) -> Answer:
        """Answers the first record that a question finds as v2 answers one record
        (section 9, item 1): an object, or 404. Otherwise as :meth:`ask`."""
        rest = _direct.NONE if now is None else _direct.instant(now)
        return _direct.answered(self._address, question._asked(_direct.FIND, rest))

    def set_state(self, username: str, school: int, api_type_id: int, active: bool) -> Answer:
        """Sets whether an integrator serves a school's API type (4.8), for an app
        that is trusted: 200 if that changed something, 204 if it was so already.

        What the API refuses is an answer. Fails as ``busy`` if a load does not end in
        time, as ``io`` if the change could not be written.
        """
        answer = called(self._native.set_state, username, school, api_type_id, active)
        return Answer(answer.status, answer.bytes, answer.allow)

    def upgrade(self, target: str) -> Upgrade:
        """The v2 request for the data of a v1 one, given its path and query string
        (section 9).

        Fails as ``bad_argument`` if the target is not of v1, or of none of its paths,
        or if v1 refuses it as well.
        """
        upgrade = called(self._native.upgrade, target)
        return Upgrade(upgrade.target, _headers(upgrade))

    def apply(self, dataset: Dataset, progress: Optional[Listener] = None) -> Summary:
        """Applies a dataset: all of it, durably, or nothing.

        Text is the dataset itself; a file is given by its :class:`pathlib.Path`.
        Memory stays bounded if the dataset is read from a file or comes in pieces,
        and questions go on meanwhile. Applying the same dataset again writes
        nothing. ``progress`` hears how far the load has come, and cancels it if it
        returns False.

        Fails as ``bad_dataset`` for the first fault, with its line; as ``busy`` if
        another change does not end in time; as ``io`` if the dataset could not be
        read or the store could not be written; as ``cancelled`` if the listener said
        so. What the listener raises comes out as it is.
        """
        given = whole(dataset)
        if given is None:
            return loaded(self.load(), dataset, progress)
        return heard(progress, lambda ear: called(self._native.apply, given, ear))

    def replace_school(
        self, school: int, dataset: Dataset, progress: Optional[Listener] = None
    ) -> Summary:
        """Applies a dataset that is the whole of one school: what it lacks goes.

        It may bring API types and integrators along; those that it lacks stay. Fails
        as :meth:`apply`; a record of another school is a fault.
        """
        given = whole(dataset)
        if given is None:
            return loaded(self.load_school(school), dataset, progress)
        return heard(progress, lambda ear: called(self._native.replace_school, school, given, ear))

    def load(self) -> Load:
        """Begins a load that bytes are pushed into."""
        return Load(called(self._native.load))

    def load_school(self, school: int) -> Load:
        """Begins a load of the whole of one school, that bytes are pushed into."""
        return Load(called(self._native.load_school, school))

    def check(self, dataset: Dataset, limit: int = 100) -> List[Fault]:
        """Every fault of a dataset, at most so many, in the order of its lines.
        Nothing is applied. Pieces, and a file that is open, are read into memory
        first; a path is not.

        Fails as ``io`` if the dataset could not be read, as ``busy`` as a change
        does.
        """
        given = whole(dataset)
        if given is None:
            given = whole(b"".join(pieces(dataset)))
        faults = called(self._native.check, given, limit)
        return [Fault(fault.line, fault.what) for fault in faults]

    def remove_school(self, school: int) -> Summary:
        """Removes every record of a school, the authorisations that it gave included.
        An unknown school is no error. Old pages of the file may hold bytes of it
        until the store is compacted.

        Fails as ``busy`` or ``io``; nothing is changed then.
        """
        return _crossing.summary(called(self._native.remove_school, school))

    def erase_learner(self, school: int, learner: int) -> Summary:
        """Erases a learner: the learner, its subjects, marks and absences, and what
        old pages of the file still hold of them. Parents and accountable persons are
        people of their own and stay.

        Fails as ``busy`` if a change or a backup does not end in time, or as ``io``.
        Call it again then. An export or feed that is not read to its end within five
        seconds fails as ``reader_ended``.
        """
        return _crossing.summary(called(self._native.erase_learner, school, learner))

    def sync(
        self,
        school: int,
        *,
        days_from: Optional[Day] = None,
        utc_offset: Optional[str] = None,
        most_in_flight: Optional[int] = None,
        rotate: Optional[int] = None,
        outbox: Optional[str] = None,
    ) -> Sync:
        """Fills a school from the service, or goes on with a pass that was left under way.
        What was not seen of it is ``not_synced`` afterwards, and in requests a 503. Nothing
        is sent by this: :func:`rollbook.httpx.sync_with` and its like drive what is given.

        ``days_from`` is the first day of absences and discipline; a month before today
        unless given, and at most ten years before. ``utc_offset`` is the school's distance
        from UTC as ``±HH:MM``, which the service does not tell; ``+02:00`` unless given. It
        says which day is today at the school. ``most_in_flight`` is how many calls may be
        out at once; 4 unless given, and the service may make it fewer. ``rotate`` is how
        many of the answers that seldom change are asked for again in a pass, the oldest
        first; 25 unless given. ``outbox`` is the integrator with whose credentials the
        calls are sent, by user name, if its state updates are to be taken and sent: what was
        asked for shows at once, and is taken back if the service refuses it. Without it
        state updates of a school that is synced are refused.

        Fails as ``bad_argument`` or ``unsupported`` if an option is of no form that it may
        have; as ``suspended`` or ``closed``, or as ``io``.
        """
        options = _sync.options(days_from, utc_offset, most_in_flight, rotate, outbox)
        return Sync(called(self._native.sync, school, options))

    def synced(self, school: int) -> Optional[Coverage]:
        """What was seen of a school that is synced, and when; None of any other school.

        Fails as ``suspended`` or ``closed``; as ``io`` or ``corrupt`` if the store fails.
        """
        return _sync.coverage(called(self._native.synced, school))

    def forget_sync(self, school: int) -> None:
        """Ends the syncing of a school. Its records stay, and are taken for all there is:
        what was not seen is answered as if there were nothing. The app may change them from
        here on. A school that is not synced stays as it is.

        Fails as ``busy`` or ``io``; nothing is changed then.
        """
        called(self._native.forget_sync, school)

    def feed(self, scope: Scope, after: Optional[str] = None) -> Feed:
        """What brings a follower of a scope from a position to now; from nothing without one.

        Fails as ``resync_required`` if the text is not a position; as ``unsupported`` if a kind
        has no such name, or if this store follows another one and the scope names more than it
        has.
        """
        return Feed(called(self._native.feed, native_scope(scope), after))

    def observe_feed(self, scope: Scope) -> LiveFeed:
        """Observes the feeds of a scope, for a server that answers a follower as soon as
        something changed for it::

            with engine.observe_feed(scope) as feeds:
                feed = feeds.next(after, wait=50)

        It ends when the engine is closed. Fails as ``unsupported`` if a kind has no such name.
        """
        return LiveFeed(self._native.observe_feed, scope)

    def follow(self) -> Follow:
        """Begins to take a feed of another store into this one;
        :func:`rollbook.httpx.follow_from` and its like bring it over HTTP.

        Schools that are followed are the source's to change: :meth:`apply` refuses them as
        ``synced``, but for client integrations. A question about more than the scope has is
        ``not_synced``. :meth:`remove_school` takes a school back, and :meth:`forget_sync`
        makes it the app's.
        """
        return Follow(called(self._native.follow))

    def followed(self) -> Optional[str]:
        """How far this store has followed another one: the position to ask for the next feed
        after. None if it has not. Fails as ``suspended`` or ``closed``."""
        position: Optional[str] = called(self._native.followed)
        return position

    def export(self, *, credentials: bool = False, scope: Optional[Scope] = None) -> Export:
        """Begins an export of everything that is kept, to be iterated over; of a scope, if one
        is given.

        ``credentials`` says whether the integrators and their password hashes are in
        it; they are in no scope. Fails as ``unsupported`` if a kind of the scope has no such
        name.
        """
        if scope is None:
            return Export(called(self._native.export, _credentials(credentials)))
        if credentials:
            raise ValueError("integrators are in no scope: leave the credentials out")
        return Export(called(self._native.export_scope, native_scope(scope)))

    def export_pseudonymised(self, key: bytes) -> Export:
        """Begins an export of everything that is kept, under other names: for tests,
        and for whoever is to see a school's shape and not its people.

        Ids, texts and dates become others, the same for the same ``key``; order,
        relations, lengths and the distances of dates stay, so that a request for the
        other ids, names and days has the same status and as many records. Integrators
        are left out. This is not anonymous: who knows some of the people can find them.

        ``key`` is 32 random bytes, as of :func:`secrets.token_bytes`, to be kept secret
        or thrown away. Fails as ``bad_argument`` if it has not 32 bytes.
        """
        return Export(called(self._native.export_pseudonymised, key))

    def verify(self) -> Verification:
        """Looks through the whole store for damage and for records that do not agree
        with each other. Changes nothing; questions go on meanwhile.

        Damage is a finding. Fails as ``busy`` if a change does not end in time.
        """
        found = called(self._native.verify)
        return Verification(found.records, found.problems)

    def compact(self) -> None:
        """Gives free space back to the file system, and leaves nothing in the file of
        what was removed. Questions wait meanwhile; for a while the file is up to
        twice as long.

        Fails as ``busy`` if a change or a backup does not end in time; as ``io`` if
        there is no room, as ``corrupt`` if the file is damaged, and then the store is
        as it was. An export or feed that is not read to its end within five seconds
        fails as ``reader_ended``.
        """
        called(self._native.compact)

    def backup(self, path: Union[str, "os.PathLike[str]"], *, credentials: bool) -> None:
        """Writes a copy of the store to a new file, as it is now; changes and
        questions go on meanwhile. The file is readable by its owner alone: it holds
        personal data, and the integrators with their password hashes if
        ``credentials`` are kept.

        Until it is whole, the copy is called ``rollbook-….part``, in the same folder;
        should the process be killed meanwhile, that file stays, with personal data:
        remove it.

        Fails as ``exists`` if there is something at the path; as ``io`` if it could
        not be written, and then nothing is left at the path.
        """
        called(self._native.backup, os.fspath(path), _credentials(credentials))

    def suspend(self) -> None:
        """Gives the file back until the engine is resumed, as a mobile app must when
        it goes to the background. Calls fail as ``suspended`` meanwhile.

        Fails as ``busy`` if a change or a backup does not end in time, as
        ``unsupported`` if the store lives in memory. An export or feed that is not read
        to its end within five seconds fails as ``reader_ended``.
        """
        called(self._native.suspend)

    def resume(self) -> None:
        """Takes the file again, whatever store is at its path by now. Does nothing
        if the engine is not suspended.

        Fails as :meth:`open` does, but as ``missing`` where nothing is.
        """
        called(self._native.resume)

    def stats(self) -> Stats:
        """How much the store holds."""
        stats = called(self._native.stats)
        return Stats(stats.bytes, stats.records)

    def close(self) -> None:
        """Closes the store and gives its file back. Every later call fails as
        ``closed``; closing again does nothing.

        Fails as ``busy`` if a load does not end in time.
        """
        called(self._native.close)

    def __enter__(self) -> "Engine":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        raised: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()


def _options(
    cache_bytes: Optional[int],
    fixed_clock: Optional[Instant],
    page_limit: Optional[int],
    max_page_limit: Optional[int],
    journal_bytes: Optional[int],
) -> Any:
    return _native.Options(
        cache_bytes=cache_bytes,
        fixed_clock=seconds(fixed_clock),
        page_limit=page_limit,
        max_page_limit=max_page_limit,
        journal_bytes=journal_bytes,
    )


_optional_text = _direct.optional(_direct.text)
_optional_number = _direct.optional(_direct.number)


def _headers(given: Any) -> Tuple[Header, ...]:
    return tuple((header.name, header.value) for header in given.headers)


def _credentials(keep: bool) -> Any:
    return _native.Credentials.KEEP if keep else _native.Credentials.LEAVE_OUT
